import { messageOf } from '../../../tool/texts/message-of.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';

/** The transport of a server at an address, with notes for the person. */
export interface Probed {
  readonly transport: 'http' | 'sse';
  readonly notes: readonly string[];
}

const PATIENCE = 5000;

/** Detects the transport of an address with one request. Defaults to `http` if there is no answer. */
export async function probeUrl(url: string, { signal }: Pick<CliContext, 'signal'>): Promise<Probed> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
  const looksOld = /\/sse\/?(?:\?|$)/.test(url);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize()),
      redirect: 'manual',
      signal: limit,
    });
    const type = answer.headers.get('content-type') ?? '';
    const session = answer.headers.get('mcp-session-id');
    await answer.body?.cancel();
    if (session !== null) {
      await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session }, signal: limit }).catch(() => {});
    }
    if (answer.status === 401 || answer.status === 403) {
      const note = 'It needs a login: pegboard mcp login NAME, or a token with --header "Authorization: Bearer TOKEN".';
      return { transport: looksOld ? 'sse' : 'http', notes: [note] };
    }
    if (answer.ok ? /json|event-stream/.test(type) : /json/.test(type)) return { transport: 'http', notes: [] };
    if (await streams(url, limit)) return { transport: 'sse', notes: [] };
    const note = `It answered ${answer.status}, which is not an answer of an MCP server. Check the address.`;
    return { transport: looksOld ? 'sse' : 'http', notes: [note] };
  } catch (error) {
    const cause = error instanceof Error && isPlainObject(error.cause) ? error.cause['code'] : undefined;
    const reason =
      error instanceof Error && error.cause instanceof Error
        ? error.cause.message || (typeof cause === 'string' ? cause : error.message)
        : messageOf(error);
    return { transport: looksOld ? 'sse' : 'http', notes: [`It does not answer now (${reason}). Check the address.`] };
  }
}

/** Returns true when a GET request streams events: the older transport. */
async function streams(url: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(url, { headers: { accept: 'text/event-stream' }, redirect: 'manual', signal });
  const isStream = answer.ok && (answer.headers.get('content-type') ?? '').includes('event-stream');
  await answer.body?.cancel();
  return isStream;
}

function initialize(): object {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pegboard', version: '0' } };
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params };
}
