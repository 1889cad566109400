import type { ClientApp, ClientSpan } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import { META } from '../protocol/versions.ts';
import type { RequestScope } from './request-scope.ts';

/** Characters of a client's name, and of its version. */
const MOST = 100;

/** Reads the name and version that a client sends; `undefined` when there is nothing of use. */
export function readClientApp(info: unknown): ClientApp | undefined {
  if (!isPlainObject(info) || typeof info['name'] !== 'string' || info['name'] === '') return undefined;
  const { name, version } = info;
  return { name: name.slice(0, MOST), ...(typeof version === 'string' ? { version: version.slice(0, MOST) } : {}) };
}

/** The program behind a request: each request of the newer era says it. */
export function clientAppOf({ params, connection }: RequestScope): ClientApp | undefined {
  const { _meta: meta } = params;
  return (isPlainObject(meta) ? readClientApp(meta[META.clientInfo]) : undefined) ?? connection.app;
}

/** Returns the attributes of a call's span that describe its request, by the conventions for MCP. */
export function clientSpanOf(scope: RequestScope): ClientSpan {
  const { _meta: meta } = scope.params;
  const { traceparent } = isPlainObject(meta) ? meta : {};
  return {
    method: scope.method,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: () => ({
      'mcp.method.name': scope.method,
      'mcp.session.id': scope.connection.sessionId,
      'mcp.protocol.version': scope.connection.version ?? versionOf(meta),
      'jsonrpc.request.id': String(scope.id).slice(0, MOST),
    }),
  };
}

function versionOf(meta: unknown): string | undefined {
  const version = isPlainObject(meta) ? meta[META.protocolVersion] : undefined;
  return typeof version === 'string' ? version : undefined;
}
