import { isPlainObject } from '../../../tool/json.ts';
import { ERROR_CODES, RequestError, invalidParams } from '../../protocol/json-rpc.ts';
import type { Access } from '../caller.ts';
import { createPagedList } from './paged-list.ts';
import { openState, Peer } from '../peer.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import type { RequestStates } from '../request-state.ts';
import type { PromptSource, ResourceSource } from './sources.ts';
import { type RedactText, redactJson } from '../redact-json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** What prompts and resources are served from. */
export interface ServedSources {
  readonly prompts: readonly PromptSource[];
  readonly resources: readonly ResourceSource[];
  readonly states: RequestStates;
  readonly pageSize: number;
  readonly listTtl: number;
  /** Takes the board's secrets out of all that sources give, those that code brought too. */
  readonly redact: RedactText;
}

const MAX_COMPLETIONS = 100;

/** The methods of prompts, resources and completion. */
export function sourceMethods(sources: ServedSources): Readonly<Record<string, MethodHandler>> {
  const { prompts, resources } = sources;
  const lists: readonly ListMethod[] = [
    ['prompts/list', 'prompts', (access) => prompts.flatMap((source) => source.list(access))],
    ['resources/list', 'resources', (access) => resources.flatMap((source) => source.list(access))],
    ['resources/templates/list', 'resourceTemplates', () => resources.flatMap((source) => source.templates())],
  ];
  return {
    ...Object.fromEntries(lists.map(([method, field, items]) => [method, createList(sources, field, items)])),
    'prompts/get': withRedaction(sources, (scope) => getPrompt(scope, sources)),
    'resources/read': withRedaction(sources, (scope) => readResource(scope, sources)),
    'completion/complete': withRedaction(sources, async (scope) => complete(scope, sources)),
  };
}

/** The same method, its answers and errors without secrets. */
function withRedaction({ redact }: ServedSources, handle: (scope: RequestScope) => Promise<Answer>): MethodHandler {
  return async (scope) => {
    try {
      return redactJson(await handle(scope), redact);
    } catch (error) {
      if (error instanceof RequestError)
        throw new RequestError(error.code, redact(error.message), redactJson(error.data, redact));
      throw new Error(redact(messageOf(error)), { cause: error });
    }
  };
}

type ListItems = (access: Access) => readonly unknown[];
type ListMethod = readonly [method: string, field: string, items: ListItems];

function createList({ pageSize, listTtl, redact }: ServedSources, field: string, items: ListItems): MethodHandler {
  return ({ connection, params, era }) => {
    const { access, id } = connection.caller;
    const written = items(access).map((item) => JSON.stringify(redactJson(item, redact)));
    const list = createPagedList(written, { field, pageSize, ttl: listTtl });
    return list.page(params['cursor'], { era, isPublic: id === '' });
  };
}

async function getPrompt(scope: RequestScope, sources: ServedSources): Promise<Answer> {
  const { name, arguments: args = {} } = scope.params;
  if (typeof name !== 'string') throw invalidParams('params.name must be a string: the name of a prompt.');
  const { id: caller, access } = scope.connection.caller;
  const strings = isPlainObject(args) && Object.values(args).every((value) => typeof value === 'string');
  if (!strings) throw invalidParams('params.arguments must be an object of strings.');
  return asking(scope, sources, async (peer) => {
    for (const source of sources.prompts) {
      // Each value was just seen to be a string.
      const text = await source.get(name, args as Record<string, string>, { caller, access, peer });
      if (text !== undefined) return { ...text };
    }
    const names = sources.prompts.flatMap((source) => source.list(access)).map((prompt) => prompt.name);
    throw invalidParams(`There is no prompt "${name}". Use one of: ${names.join(', ')}.`);
  });
}

async function readResource(scope: RequestScope, sources: ServedSources): Promise<Answer> {
  const { uri } = scope.params;
  if (typeof uri !== 'string') throw invalidParams('params.uri must be a string: the address of a resource.');
  const { id: caller, access } = scope.connection.caller;
  return asking(scope, sources, async (peer) => {
    for (const source of sources.resources) {
      const contents = await source.read(uri, { caller, access, peer });
      if (contents === undefined) continue;
      return { contents, ...(scope.era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {}) };
    }
    const code = scope.era === 'modern' ? ERROR_CODES.invalidParams : ERROR_CODES.legacyNotFound;
    throw new RequestError(code, `There is no resource "${uri}".`, { uri });
  });
}

/** Does work that may ask the client something first. */
async function asking(
  scope: RequestScope,
  { states, redact }: ServedSources,
  work: (peer: Peer) => Promise<Answer>,
): Promise<Answer> {
  const state = await openState(scope, states);
  const peer = new Peer(scope, { states, state, redactor: { redact: (value) => redactJson(value, redact) } });
  try {
    return await work(peer);
  } catch (error) {
    if (peer.interruption?.type === 'input') return peer.toInputRequired(peer.interruption.requests);
    throw peer.interruption?.error ?? error;
  }
}

function complete(scope: RequestScope, sources: ServedSources): Answer {
  const { ref, argument } = scope.params;
  if (!isPlainObject(ref) || !isPlainObject(argument))
    throw invalidParams('params.ref and params.argument must be objects.');
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string')
    throw invalidParams('params.argument needs a name and a value, both strings.');
  const values = findCompletions(scope, sources, { ref, name, value });
  const shown = values.slice(0, MAX_COMPLETIONS);
  return { completion: { values: shown, total: values.length, hasMore: shown.length < values.length } };
}

function findCompletions(
  scope: RequestScope,
  sources: ServedSources,
  { ref, name, value }: { readonly ref: Record<string, unknown>; readonly name: string; readonly value: string },
): readonly string[] {
  const { access } = scope.connection.caller;
  const { type, name: prompt, uri } = ref;
  const isPrompt = type === 'ref/prompt';
  const asked = isPrompt ? prompt : type === 'ref/resource' ? uri : undefined;
  if (typeof asked !== 'string')
    throw invalidParams('params.ref is {type: "ref/prompt", name} or {type: "ref/resource", uri}.');
  for (const source of isPrompt ? sources.prompts : sources.resources) {
    const found = source.complete?.(asked, { name, value }, access);
    if (found !== undefined) return found;
  }
  return [];
}
