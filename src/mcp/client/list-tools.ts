import { type JsonObject, isObject } from './wire-message.ts';
import { type OfferedTool, parseOffer } from './offered-tool.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { TransportFailure } from './transport.ts';

/** All that a server offers, with what could not be used of it. */
export type ToolList =
  | { readonly type: 'listed'; readonly tools: readonly OfferedTool[]; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

const MAX_TOOLS = 10_000;
const MAX_PAGES = 1000;
const MAX_FAULTS = 50;

/** Asks for every page of a server's tools. A list without end is refused. */
export async function listTools(peer: RpcPeer, meta: JsonObject | undefined, signal: AbortSignal): Promise<ToolList> {
  const tools = new Map<string, OfferedTool>();
  const faults: string[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let offered = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), ...(meta === undefined ? {} : { _meta: meta }) };
    const outcome = await peer.request('tools/list', params, { signal });
    if (outcome.type === 'failed') return outcome;
    if (outcome.type === 'error') return broken(`it does not list its tools: ${outcome.error.message}`);
    const items: unknown = outcome.result['tools'];
    if (!Array.isArray(items)) return broken('its list of tools is no list');
    offered += items.length;
    if (offered > MAX_TOOLS) return broken(`it offers more than ${MAX_TOOLS.toLocaleString('en-US')} tools`);
    for (const item of items) take(item, tools, faults);
    const next = outcome.result['nextCursor'];
    if (typeof next !== 'string')
      return { type: 'listed', tools: [...tools.values()], faults: faults.slice(0, MAX_FAULTS) };
    if (cursors.has(next)) return broken('its list of tools goes round in a circle: a cursor came twice');
    cursors.add(next);
    cursor = next;
  }
  return broken(`its list of tools has more than ${MAX_PAGES} pages`);
}

function take(item: unknown, tools: Map<string, OfferedTool>, faults: string[]): void {
  const parsed = parseOffer(isObject(item) ? item : undefined);
  if (!parsed.ok) faults.push(`the tool ${JSON.stringify(parsed.name)} ${parsed.fault} and is left out`);
  else if (tools.has(parsed.tool.name))
    faults.push(`it offers ${JSON.stringify(parsed.tool.name)} twice; the first is used`);
  else tools.set(parsed.tool.name, parsed.tool);
}

function broken(message: string): ToolList {
  return { type: 'failed', failure: { kind: 'refused', message } };
}
