import type { BoardParts } from '../../../discovery/board-like.ts';
import { ERROR_CODES, invalidParams, RequestError } from '../../protocol/json-rpc.ts';
import { SKILLS_EXTENSION } from '../../protocol/mcp-names.ts';
import type { Caller } from '../caller.ts';
import { openState, Peer } from '../peer.ts';
import type { Answer, MethodHandler, RequestScope } from '../request-scope.ts';
import type { RequestStates } from '../request-state.ts';
import { listRequest, offerRequest, toRequestError } from './offer-request.ts';
import { createPagedList } from './paged-list.ts';
import type { PromptSource, ResourceSource } from './sources.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { BoardOffers, Completion, OfferRequest, SkillEntry } from '../../../tool/offers.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

interface ServedSources {
  readonly prompts: readonly PromptSource[];
  readonly resources: readonly ResourceSource[];
  /** Has prompts and resources of files and other MCP servers; its secrets are removed from everything. */
  readonly board: BoardParts;
  readonly states: RequestStates;
  readonly pageSize: number;
  readonly listTtl: number;
}

const MAX_COMPLETIONS = 100;
const MAX_NAMED = 30;

/** Creates the methods of prompts, resources and completion. */
export function sourceMethods(sources: ServedSources): Readonly<Record<string, MethodHandler>> {
  const { prompts, resources, board } = sources;
  const { offers } = board;
  const lists: readonly ListMethod[] = [
    [
      'prompts/list',
      'prompts',
      ({ access }, request) => [
        ...prompts.flatMap((source) => source.list(access)),
        ...(offers?.prompts(request) ?? []).map(({ listing }) => listing),
      ],
    ],
    [
      'resources/list',
      'resources',
      ({ access }, request) => [
        ...resources.flatMap((source) => source.list(access)),
        ...(offers?.resources(request) ?? []).map(({ listing }) => listing),
      ],
    ],
    [
      'resources/templates/list',
      'resourceTemplates',
      (_, request) => [
        ...resources.flatMap((source) => source.templates()),
        ...(offers?.templates(request) ?? []).map(({ listing }) => listing),
      ],
    ],
  ];
  return {
    ...Object.fromEntries(lists.map(([method, field, items]) => [method, createList(sources, field, items)])),
    'prompts/get': withRedaction(sources, (scope) => getPrompt(scope, sources)),
    'resources/read': withRedaction(sources, (scope) => readResource(scope, sources)),
    'completion/complete': withRedaction(sources, (scope) => complete(scope, sources)),
  };
}

/** Removes secrets from the answers and errors of a method. */
function withRedaction({ board }: ServedSources, handle: (scope: RequestScope) => Promise<Answer>): MethodHandler {
  return async (scope) => {
    try {
      return board.registry.executor.redactor.data(await handle(scope));
    } catch (error) {
      const { redactor } = board.registry.executor;
      if (error instanceof RequestError)
        throw new RequestError(error.code, redactor.text(error.message), redactor.data(error.data));
      throw new Error(redactor.text(messageOf(error)), { cause: error });
    }
  };
}

type ListItems = (caller: Caller, request: OfferRequest) => readonly unknown[];
type ListMethod = readonly [method: string, field: string, items: ListItems];

function createList({ pageSize, listTtl, board }: ServedSources, field: string, items: ListItems): MethodHandler {
  return ({ connection, params, era }) => {
    const { caller } = connection;
    const { redactor } = board.registry.executor;
    const written = items(caller, listRequest(connection)).map((item) => JSON.stringify(redactor.data(item)));
    const list = createPagedList(written, { field, pageSize, ttl: listTtl });
    // A server's list may be for one session only.
    return list.page(params['cursor'], { era, isPublic: caller.id === '' && board.offers === undefined });
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
      // Each value was checked to be a string.
      const text = await source.get(name, args as Record<string, string>, { caller, access, peer });
      if (text !== undefined) return { ...text };
    }
    // Each value was checked to be a string.
    const served = await sources.board.offers?.get(name, args as Record<string, string>, offerRequest(scope, peer));
    if (served !== undefined) return served;
    const own = sources.prompts.flatMap((source) => source.list(access)).map((prompt) => prompt.name);
    const others = sources.board.offers?.prompts(listRequest(scope.connection)).map(({ id }) => id) ?? [];
    const names = [...own, ...others];
    const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
    const known =
      names.length > 0
        ? `Use one of: ${names.slice(0, MAX_NAMED).join(', ')}${more}.`
        : 'The board has no prompts for you.';
    throw invalidParams(`There is no prompt "${name}". ${known}`);
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
    const served = await sources.board.offers?.read(uri, offerRequest(scope, peer));
    if (served !== undefined)
      return { ...served, ...(scope.era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {}) };
    const code = scope.era === 'modern' ? ERROR_CODES.invalidParams : ERROR_CODES.legacyNotFound;
    throw new RequestError(code, `There is no resource "${uri}".`, { uri });
  });
}

/** Runs work that may ask the client something first. */
async function asking(
  scope: RequestScope,
  { states, board }: ServedSources,
  work: (peer: Peer) => Promise<Answer>,
): Promise<Answer> {
  const state = await openState(scope, states);
  const peer = new Peer(scope, { states, state, redactor: board.registry.executor });
  try {
    return await work(peer);
  } catch (error) {
    if (peer.interruption?.type === 'input') return peer.toInputRequired(peer.interruption.requests);
    throw peer.interruption?.error ?? toRequestError(error, scope);
  }
}

async function complete(scope: RequestScope, sources: ServedSources): Promise<Answer> {
  const { ref, argument, context } = scope.params;
  if (!isPlainObject(ref) || !isPlainObject(argument))
    throw invalidParams('params.ref and params.argument must be objects.');
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string')
    throw invalidParams('params.argument needs a name and a value, both strings.');
  const { type: kind, name: prompt, uri } = ref;
  const type = kind === 'ref/prompt' ? 'prompt' : 'resource';
  const id = type === 'prompt' ? prompt : kind === 'ref/resource' ? uri : undefined;
  if (typeof id !== 'string')
    throw invalidParams('params.ref is {type: "ref/prompt", name} or {type: "ref/resource", uri}.');
  const { access } = scope.connection.caller;
  for (const source of type === 'prompt' ? sources.prompts : sources.resources) {
    const values = source.complete?.(id, { name, value }, access);
    if (values !== undefined) return toCompletion({ values });
  }
  const wanted = { type, id, argument: { name, value }, others: readOthers(context) } as const;
  return asking(scope, sources, async (peer) => {
    const found = await sources.board.offers?.complete(wanted, offerRequest(scope, peer));
    return toCompletion(found ?? { values: [] });
  });
}

function toCompletion({ values, total = values.length, hasMore }: Completion): Answer {
  const shown = values.slice(0, MAX_COMPLETIONS);
  return { completion: { values: shown, total, hasMore: hasMore ?? shown.length < values.length } };
}

function readOthers(context: unknown): Readonly<Record<string, string>> | undefined {
  const given = isPlainObject(context) ? context['arguments'] : undefined;
  if (!isPlainObject(given)) return undefined;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
}

interface SkillMethodOptions {
  readonly pageSize: number;
  readonly listTtl: number;
}

/** Creates the methods of the skills extension (SEP-2640). */
export function skillMethods(
  { offers, registry: { executor } }: BoardParts,
  { pageSize, listTtl }: SkillMethodOptions,
): Readonly<Record<string, MethodHandler>> {
  return {
    'skills/list': ({ connection, params, era }) => {
      const written = skillsFor(offers, connection).map((skill) => JSON.stringify(executor.redactor.data(skill)));
      const list = createPagedList(written, { field: 'skills', pageSize, ttl: listTtl });
      return list.page(params['cursor'], { era, isPublic: false });
    },
    'skills/get': ({ connection, params: { uri }, era }): Answer => {
      const skill = skillsFor(offers, connection).find((one) => one.uri === uri);
      if (skill === undefined) throw invalidParams(`There is no skill ${JSON.stringify(uri)}. See skills/list.`);
      const cache = era === 'modern' ? { ttlMs: listTtl, cacheScope: 'private' } : {};
      return { skill: executor.redactor.data(skill), ...cache };
    },
  };
}

/** Declares skills if this client has some. */
export function skillCapability(
  offers: BoardOffers | undefined,
  { connection }: RequestScope,
): Readonly<Record<string, object>> {
  return skillsFor(offers, connection).length === 0 ? {} : { [SKILLS_EXTENSION]: {} };
}

function skillsFor(offers: BoardOffers | undefined, connection: RequestScope['connection']): readonly SkillEntry[] {
  return offers?.skills?.(listRequest(connection)) ?? [];
}
