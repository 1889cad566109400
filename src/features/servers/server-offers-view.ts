import { clientOf } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import type {
  Completion,
  CompletionRequest,
  OfferedItem,
  OfferPlace,
  OfferRequest,
  OfferResult,
  OfferSource,
  SkillEntry,
} from '../../tool/offers.ts';
import { stripDeceiving, stripHidden } from '../../tool/texts/reveal-hidden.ts';
import { hasResource, isKeptAddress, type ResourceAddresses } from '../../kinds/mcp/resource-addresses.ts';
import { ServedCall } from '../../kinds/mcp/served-call.ts';
import type { ServerRules } from '../../kinds/mcp/server-rules.ts';
import { type OfferedPrompt, promptKey } from '../../mcp/client/offers/offered-items.ts';
import { withBoardAddresses } from '../../mcp/client/session/board-addresses.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { SKILLS_EXTENSION } from '../../mcp/protocol/mcp-names.ts';
import { withDeadline } from './with-deadline.ts';

/** A server, and what its prompts and resources are called on the board. */
export interface OfferingServer {
  readonly server: SharedServer;
  readonly rules: ServerRules;
  /** The names of its prompts on the board, by the names on the server. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly addresses: ResourceAddresses;
}

/** The lock and the policy, which decide about the prompts and resources of servers beside their entries. */
export interface OfferGate {
  /** Returns true when the lock lets an item pass, by its kind and its listing as the server has it. */
  isPinned(server: string, kind: 'prompts' | 'resources' | 'templates', listing: object): boolean;
}

/** Milliseconds for a request; a server's entry may say otherwise. */
const TIMEOUT = 120_000;

/** The prompts and resources of the servers of a board, as each caller sees them. */
export class ServerOffersView implements OfferSource {
  readonly #servers: readonly OfferingServer[];
  readonly #gate: OfferGate;

  constructor(servers: readonly OfferingServer[], gate: OfferGate) {
    this.#servers = servers;
    this.#gate = gate;
  }

  prompts(request: OfferRequest): readonly OfferedItem[] {
    return this.#servers.flatMap((one) =>
      (one.server.manifest?.prompts ?? []).flatMap((prompt) => {
        const place = this.#promptPlace(one, prompt, request);
        return place === undefined ? [] : [{ ...place, listing: wordsFor(one, { ...prompt, name: place.id }) }];
      }),
    );
  }

  resources(request: OfferRequest): readonly OfferedItem[] {
    return this.#servers.flatMap((one) => {
      const { resources } = one.server.resourcesFor(clientOf(request.context));
      return resources.flatMap((resource): OfferedItem[] => {
        const uri = one.addresses.toBoard(resource.uri);
        const isThere = this.#mayRead(one, uri, request) && this.#isPinned(one, 'resources', resource);
        return isThere ? [{ id: uri, source: nameOf(one), listing: wordsFor(one, { ...resource, uri }) }] : [];
      });
    });
  }

  templates(request: OfferRequest): readonly OfferedItem[] {
    return this.#servers.flatMap((one) => {
      const { templates } = one.server.resourcesFor(clientOf(request.context));
      return templates.flatMap((template): OfferedItem[] => {
        const uriTemplate = one.addresses.toBoard(template.uriTemplate);
        const isThere = this.#mayRead(one, uriTemplate, request) && this.#isPinned(one, 'templates', template);
        const listing = wordsFor(one, { ...template, uriTemplate });
        return isThere ? [{ id: uriTemplate, source: nameOf(one), listing }] : [];
      });
    });
  }

  /** Skills that servers list, under the addresses of the board; one that the caller may not read is not listed. */
  skills(request: OfferRequest): readonly SkillEntry[] {
    return this.#servers.flatMap((one) => {
      const { skills = [], resources: listed } = one.server.resourcesFor(clientOf(request.context));
      const { toBoard } = one.addresses;
      return skills.flatMap(({ uri, frontmatter, resources }): SkillEntry[] => {
        const own = listed.find((resource) => resource.uri === uri);
        if (!this.#mayRead(one, toBoard(uri), request) || !this.#isPinned(one, 'resources', own ?? { uri })) return [];
        const files = resources.map((file) => ({ ...file, uri: toBoard(file.uri) }));
        const words = wordsFor(one, { ...frontmatter, uri: toBoard(uri) });
        const { uri: address, ...shown } = words;
        return [{ uri: String(address), frontmatter: shown, resources: files }];
      });
    });
  }

  async get(
    name: string,
    args: Readonly<Record<string, string>>,
    request: OfferRequest,
  ): Promise<OfferResult | undefined> {
    const found = this.#findPrompt(name, request);
    if (found === undefined) return undefined;
    const [one, prompt] = found;
    const body = { method: 'prompts/get', params: { name: prompt.name, arguments: args } };
    const about = { tool: promptKey(prompt.name), name };
    return cleanResult(one, await this.#send(one, request, { about, body }));
  }

  async read(uri: string, request: OfferRequest): Promise<OfferResult | undefined> {
    const found = this.#findResource(uri, request);
    if (found === undefined) return undefined;
    const [one, own] = found;
    const body = { method: 'resources/read', params: { uri: own } };
    const result = await this.#send(one, request, { about: { tool: `resource\u0000`, name: uri }, body });
    const { ttlMs: _time, cacheScope: _scope, resultType: _type, ...rest } = result;
    return /^ui:/i.test(own) ? withBoardAddresses(rest, one.addresses.toBoard) : cleanResult(one, rest);
  }

  async complete(wanted: CompletionRequest, request: OfferRequest): Promise<Completion | undefined> {
    const { type, id, argument, others } = wanted;
    const found = type === 'prompt' ? this.#findPrompt(id, request) : this.#findTemplate(id, request);
    if (found === undefined) return undefined;
    const [one, own] = found;
    if (one.server.manifest?.capabilities['completions'] === undefined) return { values: [] };
    const ref = typeof own === 'string' ? { type: 'ref/resource', uri: own } : { type: 'ref/prompt', name: own.name };
    const params = { ref, argument, ...(others === undefined ? {} : { context: { arguments: others } }) };
    const about = { tool: `completion\u0000`, name: id };
    const { completion } = await this.#send(one, request, { about, body: { method: 'completion/complete', params } });
    return readCompletion(completion);
  }

  async follow(uri: string, request: OfferRequest, hear: () => void): Promise<(() => void) | undefined> {
    const found = this.#findResource(uri, request);
    if (found === undefined) return undefined;
    const [one, own] = found;
    return one.server.follow(clientOf(request.context), own, hear);
  }

  async #send(
    { server, rules }: OfferingServer,
    { context }: OfferRequest,
    { about, body }: { about: { tool: string; name: string }; body: Parameters<SharedServer['request']>[1] },
  ): Promise<OfferResult> {
    const { keepsHidden } = rules;
    const deadline = withDeadline(context, rules.timeout ?? TIMEOUT, `The MCP server "${server.settings.name}"`);
    try {
      const call = new ServedCall({ server, ...about, keepsHidden }, {}, deadline.context);
      const result = await server.request(call, body);
      call.checkAnswered();
      return result;
    } finally {
      deadline.end();
    }
  }

  #promptPlace(
    one: OfferingServer,
    prompt: OfferedPrompt,
    request: OfferRequest,
  ): Omit<OfferedItem, 'listing'> | undefined {
    const id = one.prompts.get(prompt.name);
    if (id === undefined || one.server.denied.has(promptKey(prompt.name))) return undefined;
    const place: OfferPlace = { type: 'prompt', id, source: nameOf(one) };
    const isThere = one.rules.offersPrompt(prompt.name) && this.#mayUse(place, request);
    return isThere && this.#isPinned(one, 'prompts', prompt) ? { id, source: place.source } : undefined;
  }

  #findPrompt(name: string, request: OfferRequest): [OfferingServer, OfferedPrompt] | undefined {
    for (const one of this.#servers) {
      const prompt = one.server.manifest?.prompts.find((item) => one.prompts.get(item.name) === name);
      if (prompt !== undefined)
        return this.#promptPlace(one, prompt, request) === undefined ? undefined : [one, prompt];
    }
    return undefined;
  }

  #findTemplate(template: string, request: OfferRequest): [OfferingServer, string] | undefined {
    for (const one of this.#servers) {
      const { templates } = one.server.resourcesFor(clientOf(request.context));
      const found = templates.find(({ uriTemplate }) => one.addresses.toBoard(uriTemplate) === template);
      if (found !== undefined) return this.#mayRead(one, template, request) ? [one, found.uriTemplate] : undefined;
    }
    return undefined;
  }

  /** The server that has a resource, and its address there. Where two may have it, neither is asked. */
  #findResource(uri: string, request: OfferRequest): [OfferingServer, string] | undefined {
    const client = clientOf(request.context);
    const named = this.#servers.flatMap((one): [OfferingServer, string][] => {
      const own = one.addresses.toServer(uri);
      return own === undefined || one.server.manifest?.capabilities['resources'] === undefined ? [] : [[one, own]];
    });
    const listing =
      named.length > 0 || !isKeptAddress(uri)
        ? []
        : this.#servers.filter(({ server }) => {
            return server.manifest !== undefined && hasResource(uri, server.resourcesFor(client), server.manifest);
          });
    const possible = named.length > 0 || listing.length > 0 || !isKeptAddress(uri) ? [] : this.#possibleOwners(uri);
    const [found, ...others] = [
      ...named,
      ...[...listing, ...possible].map((one): [OfferingServer, string] => [one, uri]),
    ];
    if (found === undefined || others.length > 0 || !this.#mayRead(found[0], uri, request)) return undefined;
    const [one, own] = found;
    const listed = one.server.resourcesFor(client).resources.find((resource) => resource.uri === own);
    return listed === undefined || this.#isPinned(one, 'resources', listed) ? found : undefined;
  }

  /** Servers that may have a resource which none lists: those that have others of the same scheme. */
  #possibleOwners(uri: string): OfferingServer[] {
    const scheme = uri.slice(0, uri.indexOf(':') + 1).toLowerCase();
    return this.#servers.filter(({ server: { manifest } }) => {
      if (manifest?.capabilities['resources'] === undefined || !/^(?:ui|skill):/.test(scheme)) return false;
      const { extensions } = manifest.capabilities;
      if (scheme === 'skill:' && isPlainObject(extensions) && SKILLS_EXTENSION in extensions) return true;
      return [manifest.common, manifest.own].some((offer) =>
        offer?.resources.some((resource) => resource.uri.toLowerCase().startsWith(scheme)),
      );
    });
  }

  #mayRead(one: OfferingServer, uri: string, request: OfferRequest): boolean {
    const own = one.addresses.toServer(uri) ?? uri;
    return one.rules.offersResource(own) && this.#mayUse({ type: 'resource', id: uri, source: nameOf(one) }, request);
  }

  #mayUse(place: OfferPlace, { allows }: OfferRequest): boolean {
    return allows?.(place) ?? true;
  }

  #isPinned(one: OfferingServer, kind: 'prompts' | 'resources' | 'templates', listing: object): boolean {
    return this.#gate.isPinned(nameOf(one), kind, listing);
  }
}

function nameOf({ server }: OfferingServer): string {
  return server.settings.name;
}

/** Words of a server as clients get them: without what people do not see. */
function wordsFor({ rules }: OfferingServer, listing: object): OfferedItem['listing'] {
  // A listing is JSON: texts change, the shape does not.
  const copy = { ...listing } as Record<string, unknown>;
  if (rules.keepsHidden) return copy;
  for (const key of ['title', 'description', ...('uri' in copy || 'uriTemplate' in copy ? ['name'] : [])]) {
    if (typeof copy[key] === 'string') copy[key] = stripHidden(copy[key]);
  }
  const { arguments: args } = copy;
  if (!Array.isArray(args)) return copy;
  const clean = (arg: unknown): unknown => {
    if (!isPlainObject(arg) || typeof arg['description'] !== 'string') return arg;
    return { ...arg, description: stripHidden(arg['description']) };
  };
  return { ...copy, arguments: args.map(clean) };
}

/** A result with the addresses of the board, its texts without what deceives. */
function cleanResult({ rules, addresses }: OfferingServer, result: OfferResult): OfferResult {
  const addressed = withBoardAddresses(result, addresses.toBoard);
  if (rules.keepsHidden) return addressed;
  const clean = (_: string, value: unknown): unknown =>
    isPlainObject(value) && typeof value['text'] === 'string'
      ? { ...value, text: stripDeceiving(value['text']) }
      : value;
  // Texts change, the shape does not.
  return JSON.parse(JSON.stringify(addressed), clean) as OfferResult;
}

function readCompletion(value: unknown): Completion {
  const { values, total, hasMore } = isPlainObject(value) ? value : {};
  return {
    values: Array.isArray(values) ? values.filter((item): item is string => typeof item === 'string') : [],
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof hasMore === 'boolean' ? { hasMore } : {}),
  };
}
