import { APPS_EXTENSION, META } from '../protocol/mcp-names.ts';
import type { RequestScope } from './request-scope.ts';
import { PAGE_TYPE } from '../../tool/app-pages.ts';
import type { ClientApp, ClientSpan } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';

/** Characters of a client's name and of its version. */
const MOST = 100;

/** Reads the name and version of a client; `undefined` if unusable. */
export function readClientApp(info: unknown): ClientApp | undefined {
  if (!isPlainObject(info) || typeof info['name'] !== 'string' || info['name'] === '') return undefined;
  const { name, version } = info;
  return { name: name.slice(0, MOST), ...(typeof version === 'string' ? { version: version.slice(0, MOST) } : {}) };
}

/** Returns the client program of a request: stateless requests name it themselves. */
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

/** Returns true when a client shows pages of MCP Apps, so that it hides tools for pages from its model. */
export function declaresApps(capabilities: Readonly<Record<string, unknown>>): boolean {
  const { extensions } = capabilities;
  const settings = isPlainObject(extensions) ? extensions[APPS_EXTENSION] : undefined;
  if (!isPlainObject(settings)) return false;
  const { mimeTypes } = settings;
  return !Array.isArray(mimeTypes) || mimeTypes.includes(PAGE_TYPE);
}
