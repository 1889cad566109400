import type { Tool } from '../../tool/tool.ts';
import { type ServerTool, serverTools, wantedNames, warnOfSchemas } from '../../kinds/mcp/server-tools.ts';
import { namespacesOf, nameTools, restrictingOnly, type ToolNames } from '../../kinds/mcp/name-tools.ts';
import { upstreamTool } from '../../kinds/mcp/upstream-tool.ts';
import type { KindTools, ServerToolPlace, ToolEntry } from '../../kinds/kind.ts';
import type { Manifest } from '../../mcp/client/offers/manifest-cache.ts';
import type { PoolHost, UpstreamPool } from '../../mcp/client/upstream-pool.ts';
import type { UpstreamResources } from '../../mcp/client/upstream-resources.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { permittingNames, restrictingNames, withNames } from '../../tool/tool-names.ts';
import { stripHidden } from '../../tool/texts/reveal-hidden.ts';
import { serverFactsOf } from '../../tool/server-words.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LockMode } from '../../load/loaded-file.ts';
import type { ServerInstructions, ServerOfferList, WantedTool } from '../../load/features/tool-list.ts';
import { type OfferGate, type OfferingServer, ServerOffersView } from './server-offers-view.ts';
import { addressResources, withPageAddress } from '../../kinds/mcp/resource-addresses.ts';
import type { OfferSource } from '../../tool/offers.ts';
import type { ConfiguredServer } from './read-servers.ts';

/** Selects the servers that are asked for their tools without a call. */
export type ServerMode =
  /** Those of which nothing is known, once the board is open. */
  | 'lazy'
  /** All of them, before the board is open. */
  | 'eager'
  /** None: nothing is started. */
  | 'cached';

/** A server of which nothing is known yet, and that may have a certain tool. */
export interface PossibleOwner {
  readonly server: SharedServer;
  /** True when the name says so. A server without a prefix may have a tool of any name. */
  readonly isNamed: boolean;
}

/** The origin of a tool that a server runs. */
export interface ServerOrigin {
  readonly server: SharedServer;
  /** Its name on the server. */
  readonly upstream: string;
  readonly lock: LockMode | undefined;
}

/** A tool that a server runs. */
interface BoardServerTool extends ServerOrigin {
  readonly tool: Tool;
}

/** The tools that the servers put on a board. */
export interface OfferedTools {
  readonly tools: BoardServerTool[];
  readonly diagnostics: Diagnostic[];
  /** Remarks for boards with a policy. */
  readonly remarks: Diagnostic[];
  /** Changes of what servers say, for boards without a lock. */
  readonly changes: Diagnostic[];
  /** The instructions of servers, by name. */
  readonly instructions: ReadonlyMap<string, ServerInstructions>;
  /** Their prompts and resources as they list them, by name. */
  readonly lists: ReadonlyMap<string, ServerOfferList>;
}

interface LiveServersOptions {
  readonly pool: UpstreamPool;
  /** Makes what a server that is not running yet is lent. */
  readonly createHost: () => UpstreamResources;
  /** Makes what lets the users of a server log in, where each does. */
  readonly usersOf?: PoolHost['usersOf'];
}

interface Member {
  readonly config: ConfiguredServer;
  readonly server: SharedServer;
  /** The tools made of the manifest last time, so that unchanged tools stay the same objects. */
  made:
    | {
        readonly manifest: Manifest | undefined;
        /** All that the tools were called, as text. */
        readonly naming: string;
        readonly tools: readonly ServerTool[];
        readonly notes: readonly Diagnostic[];
        readonly remarks: readonly Diagnostic[];
      }
    | undefined;
}

/** Servers with their tools, made from what each offers. */
export class LiveServers {
  readonly #members: readonly Member[];
  readonly #origins = new WeakMap<Tool, ServerOrigin>();

  constructor(configs: readonly ConfiguredServer[], { pool, createHost, usersOf }: LiveServersOptions) {
    this.#members = configs.map((config) => ({
      config,
      server: pool.take(config.settings, { createResources: createHost, usersOf }),
      made: undefined,
    }));
  }

  get servers(): readonly SharedServer[] {
    return this.#members.map(({ server }) => server);
  }

  /** The servers with their entries. */
  get members(): readonly Pick<Member, 'config' | 'server'>[] {
    return this.#members;
  }

  /** Asks every server what it offers, all at once, and waits. */
  async askAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.ask()));
  }

  /** Reports servers that are not there yet, failed, or offer tools that cannot be used. */
  report(mode: ServerMode): Diagnostic[] {
    return this.#members.flatMap(({ config, server }): Diagnostic[] => {
      const { failure, state } = server.status;
      if (server.manifest !== undefined) {
        const severity = mode === 'eager' ? 'warning' : 'note';
        const message = `does not start; its tools are those that it offered before. ${failure?.message}`;
        return [
          ...(failure === undefined ? [] : [config.at(message, severity)]),
          ...server.faults.map((fault) => config.at(`${fault}.`)),
        ];
      }
      if (state === 'starting') return [config.at('is being asked what it offers.', 'note')];
      if (failure !== undefined) {
        const time = new Date(failure.retryAt).toLocaleTimeString('en-GB');
        const again = server.delay > 0 ? `is tried again at ${time}` : 'was not tried again yet';
        return [config.at(`has no tools here, and ${again}. ${failure.message}`)];
      }
      const isAsked = mode === 'cached' ? 'it is not asked now' : 'it is asked once the board is open';
      return [config.at(`what it offers is not known yet, and ${isAsked}.`, 'note')];
    });
  }

  /** Finds the servers of which nothing is known yet that may have a tool. */
  ownersOf({ name, servers }: WantedTool): PossibleOwner[] {
    if (servers !== undefined) {
      const unknown = this.servers.filter(({ settings, manifest }) => !manifest && servers.has(settings.name));
      return unknown.map((server) => ({ server, isNamed: true }));
    }
    const plain = toPlain(name);
    return this.#members.flatMap(({ config: { rules }, server }): PossibleOwner[] => {
      if (server.manifest !== undefined) return [];
      const renamed = [...rules.tools.values()].flatMap((tool) =>
        tool.name === undefined ? [] : [tool.name, rules.prefix + tool.name],
      );
      const isNamed =
        namespacesOf(rules).some((start) => plain.startsWith(toPlain(start))) ||
        renamed.some((given) => toPlain(given) === plain);
      return isNamed || rules.prefix === '' ? [{ server, isNamed }] : [];
    });
  }

  /** The tools as the servers offer them now; `taken` are names that the board has already. */
  tools(taken: ReadonlySet<string>): OfferedTools {
    const named = this.#members.map(({ config: { settings, rules }, server }) => ({
      server: settings.name,
      rules,
      offered: wantedNames(server, rules),
    }));
    const reserved = this.#members[0]?.config.reserved ?? [];
    const namings = nameTools(named, { isTaken: (name) => taken.has(name), reserved });
    const tools: BoardServerTool[] = [];
    const diagnostics: Diagnostic[] = [];
    const remarks: Diagnostic[] = [];
    const changes: Diagnostic[] = [];
    const instructions = new Map<string, ServerInstructions>();
    const lists = new Map<string, ServerOfferList>();
    const addresses = addressResources(
      this.servers.map(({ settings, manifest }) => ({ name: settings.name, manifest })),
    );
    for (const member of this.#members) {
      const { config, server } = member;
      server.addressOf = addresses.get(config.settings.name)?.toBoard;
      if (server.manifest !== undefined) lists.set(config.settings.name, listOf(server.manifest, config.lock));
      const made = this.#make(member, namings.get(config.settings.name) ?? new Map());
      diagnostics.push(...made.notes);
      remarks.push(...made.remarks);
      if (server.changes !== undefined) changes.push(config.at(explainChanges(server.changes)));
      const said = instructionsOf(member);
      if (said !== undefined) instructions.set(config.settings.name, said);
      for (const { tool, upstream } of made.tools) {
        tools.push({ tool, server, upstream, lock: config.lock });
      }
    }
    return { tools, diagnostics, remarks, changes, instructions, lists };
  }

  /** Returns their prompts and resources as the lock leaves them; `taken` are names of the board's own prompts. */
  offers(taken: ReadonlySet<string>, gate: OfferGate): OfferSource {
    const names = nameTools(
      this.#members.map(({ config: { settings, rules }, server }) => ({
        server: settings.name,
        // Prompts have names of their own: what is said of tools of the same name is not about them.
        rules: { ...rules, tools: new Map() },
        offered: server.manifest?.prompts.map(({ name }) => name),
      })),
      { isTaken: (name) => taken.has(name), reserved: this.#members[0]?.config.reserved ?? [] },
    );
    const addresses = addressResources(
      this.servers.map(({ settings, manifest }) => ({ name: settings.name, manifest })),
    );
    const servers = this.#members.flatMap(({ config: { settings, rules }, server }): OfferingServer[] => {
      const own = addresses.get(settings.name);
      const named = [...(names.get(settings.name) ?? [])].flatMap(([prompt, { name }]) =>
        name === undefined ? [] : [[prompt, name] as const],
      );
      return own === undefined ? [] : [{ server, rules, prompts: new Map(named), addresses: own }];
    });
    return new ServerOffersView(servers, gate);
  }

  /** Makes the tool that an entry names, as its server offers it now. */
  single(entry: ToolEntry, place: ServerToolPlace): KindTools {
    const member = this.#members.find(({ config }) => config.settings.name === place.server);
    if (member === undefined) {
      const known = this.#members.map(({ config }) => config.settings.name).join(', ');
      const message = `there is no server "${place.server}". Use one of: ${known}.`;
      return { tools: [], faults: [{ path: ['server'], message }] };
    }
    const fault = (severity: 'note' | 'warning', message: string): KindTools => ({
      tools: [],
      faults: [{ path: ['tool'], message, severity }],
    });
    const { server, config } = member;
    const offers = server.manifest?.tools;
    if (offers === undefined) return fault('note', `the server "${place.server}" did not say what it offers.`);
    const offered = offers.find(({ name }) => name === place.tool);
    if (offered === undefined) {
      const near = nearestNames(
        place.tool,
        offers.map(({ name }) => name),
      );
      const hint = near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`;
      return fault('warning', `the server "${place.server}" offers no tool "${place.tool}".${hint}`);
    }
    const { trustHints, keepsHidden } = config.rules;
    const paths = entry.paths ?? config.rules.tools.get(offered.name)?.paths ?? config.rules.paths;
    const { description, risk, ...rest } = entry.metadata;
    const given = {
      ...rest,
      ...(place.given.description ? { description } : {}),
      ...(place.given.risk && risk !== undefined ? { risk } : {}),
      ...(paths === undefined ? {} : { paths }),
    };
    const naming = { server: config.settings.name, tool: offered.name, rules: config.rules };
    const metadata = withNames(given, restrictingOnly(naming));
    const made = upstreamTool({ server, offered, metadata, trustHints, keepsHidden });
    if (!made.ok) return fault('warning', `cannot be used: ${made.fault}.`);
    this.#origins.set(made.tool, { server, upstream: offered.name, lock: config.lock });
    return { tools: [made.tool], faults: warnOfSchemas([{ offered, ...made }]) };
  }

  /** Returns the source of a tool that `single` made. */
  originOf(tool: Tool): ServerOrigin | undefined {
    return this.#origins.get(tool);
  }

  #make(member: Member, names: ReadonlyMap<string, ToolNames>): NonNullable<Member['made']> {
    const { config, server, made } = member;
    const { manifest } = server;
    const pages = manifest?.tools.map(({ _meta }) => withPageAddress(_meta, server.addressOf)) ?? [];
    const naming = JSON.stringify([[...names], pages.filter((page) => page !== undefined)]);
    if (made?.manifest === manifest && made?.naming === naming) return made;
    const { tools, notes, remarks } = serverTools(server, config.rules, names);
    const before = new Map(made?.tools.map((known) => [describe(known), known]));
    member.made = {
      manifest,
      naming,
      tools: tools.map((next) => before.get(describe(next)) ?? next),
      notes: notes.map(({ path, message, severity }) => config.at(message, severity, path)),
      remarks: remarks.map(({ path, message }) => config.at(message, 'note', path)),
    };
    return member.made;
  }
}

/** The prompts and resources that a lock pins: those of all callers, and of the user of the board. */
function listOf({ prompts, common, own }: Manifest, lock: LockMode | undefined): ServerOfferList {
  const offers = own === undefined ? [common] : [common, own];
  const byAddress = new Map(offers.flatMap(({ resources }) => resources.map((item) => [item.uri, item])));
  const byTemplate = new Map(offers.flatMap(({ templates }) => templates.map((item) => [item.uriTemplate, item])));
  return { items: { prompts, resources: [...byAddress.values()], templates: [...byTemplate.values()] }, lock };
}

/** Returns a server's instructions; nothing when its entry does not pass them on. */
function instructionsOf({ config: { rules, lock }, server }: Member): ServerInstructions | undefined {
  const text = (server.manifest?.instructions ?? '').trim();
  if (text === '' || !rules.passesInstructions) return undefined;
  return { text, shown: rules.keepsHidden ? text : stripHidden(text), lock };
}

function explainChanges(changes: string): string {
  return `describes its tools differently than before: ${changes}. Check it, then pin it with pegboard lock, or run pegboard doctor --acknowledge.`;
}

/** A name in the characters that every provider allows: a caller may know a tool by such a name. */
function toPlain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

/** All that makes a tool what it is. */
function describe({ upstream, tool }: ServerTool): string {
  const { metadata, schema, outputSchema } = tool;
  const marks = [restrictingNames(tool), permittingNames(tool), serverFactsOf(tool)];
  return JSON.stringify([upstream, metadata, marks, schema, outputSchema]);
}
