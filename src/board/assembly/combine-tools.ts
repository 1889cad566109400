import { relative, resolve } from 'node:path';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { SearchWords } from '../../discovery/index-source.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import type { CallGuard, ReserveCall } from '../../tool/calls/call-bounds.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import { isBroken } from '../../kinds/broken/broken.ts';
import type { KindHost } from '../../kinds/kind.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import type { OfferSource } from '../../tool/offers.ts';
import { promptKey } from '../../mcp/client/offers/offered-items.ts';
import { hashDefinition } from '../ask/tool-definition.ts';
import type { OpenedFeature } from '../features/board-features.ts';
import { requireApi } from '../features/feature-calls.ts';
import { reserveInTurn } from '../features/reserve-in-turn.ts';
import type { BoardPlaces } from '../../guard/policy/board-places.ts';
import { lock } from '../../features/lock/feature.ts';
import { policy } from '../../features/policy/feature.ts';
import { joinOffers } from '../offers/join-offers.ts';
import type { BoardSkill, skillOffers } from '../offers/own-skills.ts';
import { makeTools, toDiagnostic } from './make-tools.ts';
import type { AssembleOptions } from './assemble-options.ts';
import type { OpenFeature } from '../../load/features/feature.ts';
import { guardInTurn } from '../../load/features/guard-in-turn.ts';
import type { Refusal, ToolList, ToolOffer } from '../../load/features/tool-list.ts';
import { cleanDiagnostics } from '../../load/diagnostics/diagnostic.ts';
import { findLockFile } from '../../guard/lock/lock-place.ts';
import { queriesFileOf } from '../../load/queries/queries-file.ts';
import { homeFolder } from '../../load/data-folder.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { findPlaces } from './board-places.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { readAbout, readBoardQueries } from './board-queries.ts';
import type { BoardServerTool, PossibleOwner, Servers } from '../servers/live-servers.ts';

/** The tools of a board as its servers, its lock and its policies leave them. */
export interface CombinedTools {
  readonly tools: readonly Tool[];
  /** The names of tools that are off, where the policies would let them pass. */
  readonly unavailable: readonly string[];
  /** Why tools are left out that no rule of a policy keeps from callers, by their names. */
  readonly refused: ReadonlyMap<string, string>;
  /** Why tools are left out that rules or the lock keep from callers, by their names. For people alone. */
  readonly denied: ReadonlyMap<string, string>;
  /** The guard of the policies and of the board's own places. */
  readonly guard: CallGuard;
  /** Takes what calls use up, for the features that want that. */
  readonly reserve: ReserveCall | undefined;
  /** Tells whether the guard has anything to judge a call by. */
  isGuarded(tool: Tool, args: unknown): boolean;
  readonly list: ToolList;
  readonly foresee: NonNullable<OpenFeature['foresee']>;
  /** Prompts and resources, as the lock and the policies leave them. */
  readonly offers: OfferSource;
  /** The entry that a tool is made of; `undefined` for a tool of code or of a server. */
  entryOf(name: string): ToolEntry | undefined;
  /** Texts that searches read in addition to what tools say. */
  readonly searchWords: SearchWords;
  readonly diagnostics: readonly Diagnostic[];
}

interface CombineParts {
  readonly config: LoadedConfig;
  readonly options: AssembleOptions;
  readonly entries: ReadonlyMap<string, { readonly entry: ToolEntry; readonly file: LoadedFile }>;
  /** What the entries gave, by name; tools of servers are made here. */
  readonly tools: ReadonlyMap<string, { readonly tool: Tool; readonly entry: ToolEntry }>;
  readonly board: Servers;
  /** The servers of which nothing is known yet that may have a tool of this name. */
  readonly ownersOf: (name: string) => readonly PossibleOwner[];
  readonly host: KindHost;
  /** The skills of the files. */
  readonly skills: readonly BoardSkill[];
  /** True where scripts were left out, as the board is opened to look. */
  readonly lacksScripts: boolean;
  readonly features: readonly OpenedFeature[];
  readonly redactor: Redactor;
}

/** Puts the tools of the files and of the servers together, and takes away what the lock and the policies do not let pass. */
export async function combineTools(parts: CombineParts): Promise<CombinedTools> {
  const { config, options, entries, tools, board, ownersOf, host, redactor, skills, features } = parts;
  const isComplete = board.servers.every(({ manifest }) => manifest !== undefined);
  // Any name may be that of a tool of what was left out to look.
  const isOpen = config.lacksPlugins || parts.lacksScripts;
  const mayCome = (pick: unknown): boolean =>
    isOpen || (!isComplete && pick !== undefined && (typeof pick !== 'string' || ownersOf(pick).length > 0));
  const home = homeFolder(config.files, options.cwd);
  const originOf = ({ kind, file }: ToolEntry): string =>
    `${kind.type} ${relative(home, resolve(options.cwd, file)).replaceAll('\\', '/')}`;
  const told: Diagnostic[] = [];
  // What is off is on no board, but rules and agents that name it are right to.
  const broken = [...tools.values()].filter(({ entry }) => isBroken(entry)).map(({ tool }) => tool);
  const working = [...tools.values()].filter(({ entry }) => !isBroken(entry));
  const found: ToolOffer[] = working.map(({ tool, entry }) => ({ tool, origin: originOf(entry) }));
  found.push(...skills);
  for (const { feature, open } of features) {
    const own = (await open.tools?.()) ?? [];
    found.push(...own.map((tool) => ({ tool: parseTool(tool), origin: `feature ${feature.name}` })));
  }
  const remote: BoardServerTool[] = [];
  const entryOf = new Map([...tools].map(([name, { entry }]) => [name, entry]));
  for (const { entry, file } of entries.values()) {
    if (!entry.kind.isLive) continue;
    const made = await makeTools(entry, host);
    told.push(...made.faults.map((fault) => toDiagnostic(fault, entry, file)));
    for (const tool of made.tools) {
      entryOf.set(tool.metadata.name, entry);
      const origin = board.originOf(tool);
      if (origin === undefined) found.push({ tool, origin: originOf(entry) });
      else remote.push({ tool, ...origin });
    }
  }
  const given = new Set(options.tools.map(({ metadata }) => metadata.name));
  for (const { tool, origin } of found.filter(({ tool: { metadata } }) => given.has(metadata.name))) {
    told.push(warnOfGiven(tool.metadata.name, origin));
  }
  const known = [...found.map(({ tool }) => tool), ...remote.map(({ tool }) => tool), ...broken, ...options.tools];
  // No tool of a server gets the name of an entry whose server did not answer yet.
  const expected = [...entries.values()].flatMap(({ entry: { kind, metadata } }) =>
    kind.isLive ? [metadata.name] : [],
  );
  const served = board.tools(new Set([...known.map(({ metadata }) => metadata.name), ...expected]));
  remote.push(...served.tools);
  told.push(...served.diagnostics);
  // Risk matters where a policy asks for it.
  if (requireApi(features, policy).hasRules) told.push(...served.remarks);
  for (const { tool, server, upstream, lock } of remote) {
    found.push({ tool, origin: `mcp ${server.settings.name}/${upstream}`, lock });
  }
  const servers = new Map(remote.map(({ tool, server }) => [tool.metadata.name, server]));
  const lockFile = findLockFile(home, config.given, options.cwd);
  const written = readBoardQueries(lockFile, options.cwd);
  let places: BoardPlaces | undefined;
  const list: ToolList = {
    originOf: ({ metadata }) => ({ entry: entryOf.get(metadata.name), server: servers.get(metadata.name) }),
    mayCome,
    home,
    given: config.given,
    pins: {
      plugins: () => config.pluginPins(),
      instructions: served.instructions,
      offers: served.lists,
      queries: written.pins,
    },
    report: (...diagnostics) => void told.push(...diagnostics),
    definitionOf: (tool) =>
      hashDefinition(tool, {
        entryOf: (name) => entryOf.get(name),
        servers: () => board.servers,
        redact: (value) => redactor.data(value),
      }),
    kindHost: host,
    // Found for the first call that needs them.
    get places() {
      return (places ??= findPlaces({
        config,
        host,
        ownFiles: [
          ...features.flatMap(({ open }) => open.ownFiles?.(list) ?? []),
          queriesFileOf(lockFile),
          ...skills.map(({ skill }) => skill.folder),
        ],
        outputFolder: options.outputFolder,
        cwd: options.cwd,
        servers: board.servers.flatMap(({ settings: { address } }) =>
          address.type === 'stdio' ? [{ command: [address.file, ...address.args], cwd: address.cwd }] : [],
        ),
      }));
    },
  };
  const denied = new Map<string, string>();
  for (const { open } of features)
    for (const [name, reason] of (await open.gate?.(found, list)) ?? []) denied.set(name, reason);
  const gate = requireApi(features, lock).of(list);
  const passing = found.flatMap(({ tool }) => (denied.has(tool.metadata.name) ? [] : [tool]));
  // A lock tells of changes itself, each time.
  if (gate.lock.state === 'absent') told.push(...served.changes);
  for (const server of board.servers) {
    const { name } = server.settings;
    server.instructions = gate.silenced.has(name) ? undefined : served.instructions.get(name)?.shown;
    const names = remote.filter((member) => member.server === server);
    const tools = names.flatMap(({ tool, upstream }) => {
      const reason = denied.get(tool.metadata.name);
      return reason === undefined ? [] : [[upstream, reason] as const];
    });
    const changed = server.manifest?.prompts.filter((prompt) => !gate.isPinned(name, 'prompts', prompt)) ?? [];
    server.denied = new Map([
      ...tools,
      ...changed.map((prompt) => [promptKey(prompt.name), explainPrompt(prompt.name, gate.lock.command)] as const),
    ]);
  }
  const taken = new Set([...found.map(({ tool }) => tool.metadata.name), ...given]);
  const passed = [
    ...passing.map((tool) => ({ tool, entry: entryOf.get(tool.metadata.name) })),
    ...options.tools.map((tool) => ({ tool, entry: undefined })),
  ];
  // Tools of code are the program's own: no lock pins them.
  const all = [
    ...passing.filter(({ metadata }) => !given.has(metadata.name)),
    ...options.tools,
    ...features.flatMap(({ open }) => open.equip?.(passed, taken) ?? []),
    ...broken.filter(({ metadata }) => !given.has(metadata.name)),
  ];
  const names = new Set(all.map(({ metadata }) => metadata.name));
  for (const tool of await loginToolsOf(board.servers)) {
    if (names.has(tool.metadata.name)) told.push(warnOfLogin(tool));
    else all.push(tool);
  }
  // What stands in the files under the name of a tool of code says nothing about that tool.
  for (const name of given) for (const names of [entryOf, servers]) names.delete(name);
  const filtered = filterTools(all, features, list);
  for (const server of board.servers) server.refused = requireApi(features, policy).refuses(server.settings.name, list);
  const request = { context: new ToolContext() };
  const ownPrompts = features.flatMap(({ open }) => open.offers?.prompts(request).map(({ id }) => id) ?? []);
  const theirs = board.offers(new Set([...ownPrompts, 'board_tools']), {
    isPinned: (...item) => gate.isPinned(...item),
  });
  const left = new Set(filtered.tools.map(({ metadata }) => metadata.name));
  const own = await skillOffersOf(skills, {
    isOnBoard: (name) => left.has(name),
  });
  const { queries, diagnostics: unused } = written.choose(passing, (tool) => gate.isQueryPinned(tool));
  const hasServers = config.files.some(({ mcpServers }) => Object.keys(mcpServers).length > 0);
  const faults = features.flatMap(({ open }) => open.listed?.(filtered.tools, { mayCome, hasServers }) ?? []);
  const patterns = served.tools.length === 0 ? [] : await checkPatternsOf(config.files, all);
  const spoken = [...told, ...unused, ...faults, ...patterns];
  const guards = features.flatMap(({ open }) => open.guard ?? []);
  const reserve = reserveInTurn(features.flatMap(({ open }) => open.reserve ?? []));
  const brokenNames = new Set(broken.map(({ metadata }) => metadata.name));
  const isOff = ({ metadata: { name } }: Tool): boolean => brokenNames.has(name) && !given.has(name);
  return {
    tools: filtered.tools.filter((tool) => !isOff(tool)),
    unavailable: filtered.tools.filter(isOff).map(({ metadata }) => metadata.name),
    refused: filtered.shown,
    denied: new Map([...denied, ...filtered.denied]),
    guard: guardInTurn(guards),
    reserve,
    isGuarded: (tool, args) => features.some(({ open }) => open.guard && (open.isGuarded?.(tool, args) ?? true)),
    list,
    foresee: (tool, args) => {
      const verdicts = features.flatMap(({ open }) => open.foresee?.(tool, args) ?? []);
      return verdicts.find(({ type }) => type === 'refused') ?? verdicts[0];
    },
    offers: joinOffers([...(own === undefined ? [] : [own]), ...(theirs === undefined ? [] : [theirs])]),
    entryOf: (name) => entryOf.get(name),
    searchWords: { queries, about: readAbout(board.servers) },
    diagnostics: cleanDiagnostics(spoken, redactor),
  };
}

/** The tools that features leave to callers, under the descriptions that features give them. */
interface FilteredTools {
  readonly tools: readonly Tool[];
  /** Reasons that callers may learn, by the names of tools. */
  readonly shown: ReadonlyMap<string, string>;
  /** Reasons for people alone. */
  readonly denied: ReadonlyMap<string, string>;
}

/** Lets each feature take tools away, and then describe those that are left. */
function filterTools(tools: readonly Tool[], features: readonly OpenedFeature[], list: ToolList): FilteredTools {
  const shown = new Map<string, string>();
  const denied = new Map<string, string>();
  let left = tools;
  for (const { feature, open } of features) {
    const found = open.filter?.(left, list) ?? new Map<string, string | Refusal>();
    for (const [name, refusal] of found) {
      if (typeof refusal === 'string') denied.set(name, `${refusal} (${feature.name})`);
      else (refusal.isShown === true ? shown : denied).set(name, refusal.reason);
    }
    if (found.size > 0) left = left.filter(({ metadata }) => !found.has(metadata.name));
  }
  const describing = features.flatMap(({ open }) => (open.describe === undefined ? [] : [open]));
  const described = left.map((tool) =>
    describe(
      tool,
      describing.map((open) => open.describe?.(tool, list)).findLast((text) => text !== undefined),
    ),
  );
  return { tools: described, shown, denied };
}

/** The same tool under another description. */
function describe(tool: Tool, description: string | undefined): Tool {
  if (description === undefined) return tool;
  const { schema, outputSchema } = tool;
  return parseTool({
    metadata: { ...tool.metadata, description },
    schema,
    outputSchema,
    execute: (input: unknown, context: Parameters<Tool['run']>[1]) => tool.run(input, context),
  });
}

/** Most boards have no servers at which each user logs in. */
async function loginToolsOf(servers: readonly SharedServer[]): Promise<readonly Tool[]> {
  if (servers.every(({ users }) => users === undefined)) return [];
  const { loginTools } = await import('../../kinds/mcp/login-tool.ts');
  return loginTools(servers);
}

function warnOfLogin({ metadata: { name, source = '' } }: Tool): Diagnostic {
  const message = `users log in at "${source}" with a tool "${name}", and another tool has that name. They can log in only by a call of its tools.`;
  return { severity: 'warning', file: source, path: ['mcpServers', source], message };
}

/** Most boards have no skills, and need not load what serves them. */
async function skillOffersOf(
  skills: readonly BoardSkill[],
  rights: Parameters<typeof skillOffers>[1],
): Promise<OfferSource | undefined> {
  if (skills.length === 0) return undefined;
  const loaded = await import('../offers/own-skills.ts');
  return loaded.skillOffers(skills, rights);
}

function explainPrompt(name: string, command: string): string {
  return `The prompt "${name}" is not what the lock says, and its lock is not open. Someone has to look at it and run ${command}.`;
}

/** A tool of code takes the place of one of the files, as the last file would. */
function warnOfGiven(name: string, origin: string): Diagnostic {
  const message = `the tool "${name}" is among the tools given in code too; that one is used.`;
  return { severity: 'warning', file: origin.slice(origin.indexOf(' ') + 1), path: [], message };
}

/** Loads the check for boards with tools of servers: no other tools have joined names. */
async function checkPatternsOf(files: readonly LoadedFile[], tools: readonly Tool[]): Promise<Diagnostic[]> {
  const { checkToolPatterns } = await import('../checks/check-tool-patterns.ts');
  return checkToolPatterns(files, tools);
}
