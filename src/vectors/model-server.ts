import type { EmbedderResources } from './embedder.ts';
import { createEgressPolicy } from '../platform/http/egress.ts';
import { createHttpClient, type HttpClient } from '../platform/http/http-client.ts';
import type { HttpBody } from '../platform/http/http-messages.ts';
import { isPlainObject } from '../tool/json.ts';

const LONGEST_REASON = 300;

/** Opens a client for a model server. The operator chose its URL, so it may be on this machine or in a private network. */
export function openModelServer(
  url: URL,
  resources: Pick<EmbedderResources, 'httpClient'>,
): { readonly client: HttpClient; readonly close: () => Promise<void> } {
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
  if (resources.httpClient !== undefined)
    return { client: resources.httpClient([place]), close: () => Promise.resolve() };
  const client = createHttpClient({ egress: createEgressPolicy({ allow: [place] }) });
  return { client, close: () => client.close() };
}

/** Returns a server's reason for a refusal, with the key redacted: some servers repeat it. */
export function readRefusal(body: HttpBody, key: string | undefined): string {
  const reason = readReason(body).slice(0, LONGEST_REASON).replace(/\.$/, '');
  return key === undefined || key === '' ? reason : reason.replaceAll(key, '[redacted]');
}

function readReason(body: HttpBody): string {
  if (body.type === 'text') return body.text.trim();
  if (body.type !== 'json' || !isPlainObject(body.value)) return '';
  const error: unknown = body.value['error'] ?? body.value['detail'] ?? body.value['message'];
  const message: unknown = isPlainObject(error) ? error['message'] : error;
  return typeof message === 'string' ? message.trim() : '';
}
