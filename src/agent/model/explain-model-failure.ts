import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { AiSdk } from './ai-types.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Explains why a model gave no answer: the provider's message, the address, and what to check first. Throws misuse of a model. */
export function explainModelFailure(error: unknown): string {
  if (error instanceof ModelMisuseError) throw error;
  const said = `The model failed: ${messageOf(error)}`;
  const { APICallError } = loadPeer('ai', 'An agent') as AiSdk;
  const advice = APICallError.isInstance(error) ? adviceFor(error.statusCode, error.message) : undefined;
  if (!APICallError.isInstance(error) || advice === undefined) return said;
  // Without the query: some providers take the key there.
  const { origin = error.url, pathname = '' } = URL.parse(error.url) ?? {};
  return `${said.replace(/\.$/, '')} (${origin}${pathname}). ${advice}`;
}

function adviceFor(status: number | undefined, message: string): string | undefined {
  switch (status) {
    case undefined:
      return message.startsWith('Cannot connect')
        ? 'Check that it is running, and check base_url (in code baseUrl).'
        : undefined;
    case 401:
    case 403:
      return 'Check the key.';
    case 404:
      return "Check the model's name and base_url (in code baseUrl).";
    default:
      return undefined;
  }
}

/**
 * Thrown by a model that is used incorrectly, such as a scripted model that is called too often.
 *
 * A run rejects with it instead of reporting a provider failure, because code has to change.
 */
export class ModelMisuseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelMisuseError';
  }
}
