import type { TransportFailure } from './transport.ts';

/** What a request that broke off says about its server. */
export function explainError(error: unknown, url: string): TransportFailure {
  const cause = error instanceof Error ? error : new Error(String(error));
  const { host } = new URL(url);
  const code = 'code' in cause ? String(cause.code) : '';
  const reason =
    code === 'ECONNREFUSED'
      ? `${host} refuses connections`
      : code === 'ENOTFOUND'
        ? `${host} cannot be found`
        : cause.message;
  return { kind: 'unavailable', message: reason === '' ? 'The connection was closed.' : reason };
}
