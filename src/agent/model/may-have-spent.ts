import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { AiSdk } from './ai-types.ts';

/** Failures of the network before anything was sent. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** What the AI SDK throws before it sends anything. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

/** Whether a model may have read and written tokens before a call of it failed. A provider that refuses has not. */
export function mayHaveSpent(error: unknown): boolean {
  const { APICallError } = loadPeer('ai', 'An agent') as AiSdk;
  if (APICallError.isInstance(error)) {
    return error.statusCode === undefined ? !wasNotSent(error) : error.statusCode < 400;
  }
  return !(error instanceof Error && NOT_ASKED.has(error.name)) && !wasNotSent(error);
}

function wasNotSent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && NOT_SENT.has(cause.code)) return true;
  }
  return false;
}
