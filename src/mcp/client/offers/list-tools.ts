import { type OfferedTool, parseOffer } from './offered-tool.ts';
import type { RpcPeer } from '../session/rpc-peer.ts';
import type { TransportFailure } from '../transports/transport.ts';
import { isObject, type JsonObject } from '../transports/wire-message.ts';

/** All that a server offers, with what could not be used of it. */
export type ToolList =
  | { readonly type: 'listed'; readonly tools: readonly OfferedTool[]; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

const MAX_TOOLS = 10_000;
const MAX_PAGES = 1000;
/** Characters of all of them. */
const MAX_DEFINITIONS = 64 * 1024 * 1024;
const MAX_FAULTS = 50;

/** Asks for every page of a server's tools. A list without end is refused. */
export async function listTools(
  peer: RpcPeer,
  {
    meta,
    signal,
    isOptional,
  }: { readonly meta: JsonObject | undefined; readonly signal: AbortSignal; readonly isOptional: boolean },
): Promise<ToolList> {
  const tools = new Map<string, OfferedTool>();
  const faults: string[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let offered = 0;
  let size = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), ...(meta === undefined ? {} : { _meta: meta }) };
    const outcome = await peer.request('tools/list', params, { signal });
    if (outcome.type === 'failed') return outcome;
    // A server may have prompts and resources alone.
    if (outcome.type === 'error' && isOptional) return { type: 'listed', tools: [], faults: [] };
    if (outcome.type === 'error') return broken(`it does not list its tools: ${outcome.error.message}`);
    const items: unknown = outcome.result['tools'];
    if (!Array.isArray(items)) return broken('its list of tools is no list');
    offered += items.length;
    if (offered > MAX_TOOLS) return broken(`it offers more than ${MAX_TOOLS.toLocaleString('en-US')} tools`);
    for (const item of items) size += take(item, tools, faults);
    if (size > MAX_DEFINITIONS)
      return broken(`what it says of its tools has more than ${MAX_DEFINITIONS.toLocaleString('en-US')} characters`);
    const next = outcome.result['nextCursor'];
    if (typeof next !== 'string')
      return { type: 'listed', tools: [...tools.values()], faults: faults.slice(0, MAX_FAULTS) };
    if (cursors.has(next)) return broken('its list of tools goes round in a circle: a cursor came twice');
    cursors.add(next);
    cursor = next;
  }
  return broken(`its list of tools has more than ${MAX_PAGES} pages`);
}

/** Keeps a tool, or what is wrong with it; gives the characters that are kept. */
function take(item: unknown, tools: Map<string, OfferedTool>, faults: string[]): number {
  const parsed = parseOffer(isObject(item) ? item : undefined);
  if (parsed.ok && !tools.has(parsed.tool.name)) {
    tools.set(parsed.tool.name, parsed.tool);
    return parsed.size;
  }
  faults.push(
    parsed.ok
      ? `it offers ${JSON.stringify(parsed.tool.name)} twice; the first is used`
      : `the tool ${JSON.stringify(parsed.name)} ${parsed.fault} and is left out`,
  );
  return 0;
}

function broken(message: string): ToolList {
  return { type: 'failed', failure: { kind: 'refused', message } };
}
