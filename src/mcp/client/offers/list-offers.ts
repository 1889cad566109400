import {
  type OfferedPrompt,
  type OfferedResource,
  type OfferedSkill,
  type OfferedTemplate,
  type OfferedTool,
  parseOffer,
  parsePrompt,
  parseResource,
  parseSkill,
  parseTemplate,
} from './offered-items.ts';
import type { RpcPeer } from '../session/rpc-peer.ts';
import { isObject, type JsonObject, type TransportFailure } from '../transports/transport.ts';
import { ERROR_CODES } from '../../protocol/json-rpc.ts';
import { SKILLS_EXTENSION } from '../../protocol/mcp-names.ts';

/** A server's prompts and resources, with faults of its lists. */
interface ListedOffers {
  readonly prompts: readonly OfferedPrompt[];
  readonly resources: readonly OfferedResource[];
  readonly templates: readonly OfferedTemplate[];
  /** `undefined` if the server does not support the skills extension. */
  readonly skills: readonly OfferedSkill[] | undefined;
  readonly faults: readonly string[];
}

type Listing<T> =
  | { readonly type: 'listed'; readonly items: readonly T[]; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

interface ListedKind<T> {
  readonly method: string;
  readonly field: string;
  readonly what: string;
  readonly idOf: (item: T) => string;
  readonly parse: (value: unknown) => T | undefined;
}

const MAX_ITEMS = 10_000;
const MAX_PAGES = 1_000;
/** Characters of all items of a list. */
const MAX_SIZE = 16 * 1024 * 1024;

const PROMPTS: ListedKind<OfferedPrompt> = {
  method: 'prompts/list',
  field: 'prompts',
  what: 'prompts',
  idOf: ({ name }) => name,
  parse: parsePrompt,
};
const RESOURCES: ListedKind<OfferedResource> = {
  method: 'resources/list',
  field: 'resources',
  what: 'resources',
  idOf: ({ uri }) => uri,
  parse: parseResource,
};
const TEMPLATES: ListedKind<OfferedTemplate> = {
  method: 'resources/templates/list',
  field: 'resourceTemplates',
  what: 'templates of resources',
  idOf: ({ uriTemplate }) => uriTemplate,
  parse: parseTemplate,
};

const SKILLS: ListedKind<OfferedSkill> = {
  method: 'skills/list',
  field: 'skills',
  what: 'skills',
  idOf: ({ uri }) => uri,
  parse: parseSkill,
};

interface ListOptions {
  readonly capabilities: JsonObject;
  /** Sent with each request of the stateless revision. */
  readonly meta: JsonObject | undefined;
  readonly signal: AbortSignal;
}

/**
 * Lists a server's prompts, resources and templates, if its capabilities include them. A broken or endless list is used up to the fault,
 * which is reported; it does not affect the tools.
 */
export async function listOffers(
  peer: RpcPeer,
  options: ListOptions,
): Promise<ListedOffers | { readonly failure: TransportFailure }> {
  const { prompts: hasPrompts, resources: hasResources } = options.capabilities;
  const none = Promise.resolve({ type: 'listed', items: [], faults: [] } as const);
  const { extensions } = options.capabilities;
  const hasSkills = isObject(extensions) && isObject(extensions[SKILLS_EXTENSION]);
  const [prompts, resources, templates, skills] = await Promise.all([
    hasPrompts === undefined ? none : listAll(peer, PROMPTS, options),
    hasResources === undefined ? none : listAll(peer, RESOURCES, options),
    hasResources === undefined ? none : listAll(peer, TEMPLATES, options),
    hasSkills ? listAll(peer, SKILLS, options) : none,
  ]);
  for (const list of [prompts, resources, templates, skills]) if (list.type === 'failed') return list;
  const itemsOf = <T>(list: Listing<T>): readonly T[] => (list.type === 'listed' ? list.items : []);
  return {
    prompts: itemsOf(prompts),
    resources: itemsOf(resources),
    templates: itemsOf(templates),
    skills: hasSkills ? itemsOf(skills) : undefined,
    faults: [prompts, resources, templates, skills].flatMap((list) => (list.type === 'listed' ? list.faults : [])),
  };
}

async function listAll<T>(peer: RpcPeer, kind: ListedKind<T>, { meta, signal }: ListOptions): Promise<Listing<T>> {
  const items = new Map<string, T>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let left = 0;
  let size = 0;
  const finish = (fault?: string): Listing<T> => {
    const lost = left === 0 ? [] : [`${left} of its ${kind.what} cannot be used and are left out`];
    return { type: 'listed', items: [...items.values()], faults: [...lost, ...(fault === undefined ? [] : [fault])] };
  };
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), ...(meta === undefined ? {} : { _meta: meta }) };
    const outcome = await peer.request(kind.method, params, { signal });
    if (outcome.type === 'failed') return outcome;
    if (outcome.type === 'error') {
      // Many servers with resources have no templates.
      const isUnknown = outcome.error.code === ERROR_CODES.methodNotFound && page === 0;
      return finish(isUnknown ? undefined : `it does not list its ${kind.what}: ${outcome.error.message}`);
    }
    const listed: unknown = outcome.result[kind.field];
    if (!Array.isArray(listed)) return finish(`its list of ${kind.what} is no list`);
    for (const value of listed) {
      const item = kind.parse(isObject(value) ? value : undefined);
      if (item === undefined || items.has(kind.idOf(item))) {
        left++;
        continue;
      }
      size += JSON.stringify(item).length;
      if (items.size >= MAX_ITEMS || size > MAX_SIZE)
        return finish(`it offers more ${kind.what} than a board takes; the first ${items.size} are used`);
      items.set(kind.idOf(item), item);
    }
    const next = outcome.result['nextCursor'];
    if (typeof next !== 'string') return finish();
    if (cursors.has(next)) return finish(`its list of ${kind.what} goes round in a circle: a cursor came twice`);
    cursors.add(next);
    cursor = next;
  }
  return finish(`its list of ${kind.what} has more than ${MAX_PAGES} pages; the first are used`);
}

/** A server's tools with faults of the list, or the failure. */
type ToolList =
  | { readonly type: 'listed'; readonly tools: readonly OfferedTool[]; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

const MAX_TOOLS = 10_000;
/** Characters of all definitions. */
const MAX_DEFINITIONS = 64 * 1024 * 1024;
const MAX_FAULTS = 50;

/** Lists a server's tools, page by page. Refuses an endless list. */
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
    // A server may have only prompts and resources.
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

/** Adds a tool or its fault; returns the number of characters added. */
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
