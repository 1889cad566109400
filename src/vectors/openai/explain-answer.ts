import { isPlainObject } from '../../tool/json.ts';
import { ToolError, type ToolErrorCode } from '../../tool/tool-error.ts';
import type { HttpBody, HttpOutcome } from '../../platform/http/http-outcome.ts';

/** Who was asked. */
export interface AskedServer {
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
}

const LONGEST_REASON = 300;

/** The error for an answer that is a refusal: what the server says, and what to do about it. Never shows the key. */
export function explainAnswer({ status, body }: HttpOutcome, { url, model, key }: AskedServer): ToolError {
  const reason = readReason(body).slice(0, LONGEST_REASON);
  // Some servers repeat the key, or its ends, in what they say.
  const said = key === undefined || key === '' ? reason : reason.replaceAll(key, '[redacted]');
  const { code, fix } = judge(status, model);
  const what = said === '' || status === 401 ? '' : ` and says: ${said.replace(/\.$/, '')}`;
  return new ToolError({ code, message: `The embedder at ${url} answered ${status}${what}. ${fix}` });
}

function judge(status: number, model: string): { readonly code: ToolErrorCode; readonly fix: string } {
  if (status === 401 || status === 403) return { code: 'permission_denied', fix: 'Check api_key.' };
  if (status === 404) return { code: 'not_found', fix: `Check url, and that it serves the model "${model}".` };
  if (status === 429) return { code: 'upstream_unavailable', fix: 'Try again later, or set requests_per_minute.' };
  if (status >= 500) return { code: 'upstream_unavailable', fix: 'Try again later.' };
  return { code: 'execution_failed', fix: `Check url and that "${model}" is a model for embeddings.` };
}

function readReason(body: HttpBody): string {
  if (body.type === 'text') return body.text.trim();
  if (body.type !== 'json') return '';
  const error: unknown = isPlainObject(body.value) ? (body.value['error'] ?? body.value['detail']) : undefined;
  const message: unknown = isPlainObject(error) ? error['message'] : error;
  return typeof message === 'string' ? message.trim() : '';
}
