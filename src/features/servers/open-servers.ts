import { programFiles } from '../../kinds/running/find-script.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { Placed } from '../../load/features/section.ts';
import type { PinnedTexts, ToolList, ToolOffer } from '../../load/features/tool-list.ts';
import { promptKey } from '../../mcp/client/offers/offered-items.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { Tool } from '../../tool/tool.ts';
import type { GateOutcome } from '../lock/lock-gate.ts';
import type { LockApi } from '../lock/open-lock.ts';
import type { BoardPolicy } from '../policy/open-policy.ts';
import type { LiveServers, OfferedTools, ServerMode, ServerOrigin } from './live-servers.ts';
import { readServers } from './read-servers.ts';
import type { WrittenServers } from './server-sections.ts';
import { ServerArrivals } from './server-arrivals.ts';
import { ServerPool, takeServers } from './server-pool.ts';
import { type BoardServer, toBoardServer } from './to-board-server.ts';
import { settingsKey } from '../../mcp/client/server-settings.ts';
import { restrictingSources } from '../../tool/tool-names.ts';

/** The open servers of a board; the next settings take over their pool. */
type OpenServers = OpenFeature<ServersApi>;

/** The servers of a board, for others. */
export interface ServersApi {
  /** @internal */
  readonly pool: ServerPool;
  list(): readonly BoardServer[];
}

interface ServerParts {
  readonly host: FeatureHost;
  readonly lock: LockApi;
  readonly policy: BoardPolicy;
  readonly before: OpenServers['api'];
}

/** Opens the servers of the board's files. None is started: their tools are those that they offered last time. */
export async function openServers(
  written: Placed<WrittenServers> | undefined,
  parts: ServerParts,
): Promise<OpenServers> {
  const { host, lock, policy } = parts;
  const pool = parts.before?.pool ?? new ServerPool();
  const { servers: configs } = readServers(written, host);
  const live = await takeServers(configs, { pool: pool.pool, host });
  pool.use(live);
  const login = live.servers.some(({ users }) => users !== undefined)
    ? (await import('../../kinds/mcp/login-tool.ts')).loginTools(live.servers)
    : [];
  const mode = serverMode(host);
  const isAsking = host.mode === 'run' && mode !== 'cached';
  const offered = new WeakMap<ToolList, OfferedTools>();
  const arrivals = new ServerArrivals({
    servers: () => live.servers,
    ownersOf: (wanted) => live.ownersOf(wanted),
    underWay: () => (pool.arriving.size === 0 ? undefined : Promise.allSettled(pool.arriving)),
    isThere: (name) => host.board().registry.find(name) !== undefined,
    mayAsk: host.mode === 'run',
  });
  let isAsked = false;
  return {
    api: { pool, list: () => live.servers.map((server) => toBoardServer(server, host.mode)) },
    hasLateTools: Object.keys(written?.value ?? {}).length > 0,
    definitionOf: (tool) => describeServers(tool, live.servers, (value) => host.redact(value)),
    about: () => aboutServers(live.servers),
    kindHost: { serverTool: (entry, place) => live.single(entry, place) },
    originOf(tool) {
      const origin = live.originOf(tool);
      return origin && toOffer(tool, origin);
    },
    async namedTools(taken, list) {
      for (const { config, server } of live.members)
        server.packageRule = lock.packageRule(list, server.settings.name, config.lock);
      if (mode === 'eager' && !isAsked) await live.askAll();
      isAsked = true;
      const found = live.tools(taken);
      offered.set(list, found);
      list.report(...found.diagnostics);
      // Risk matters where a policy asks for it.
      if (policy.hasRules) list.report(...found.remarks);
      return found.tools.map(({ tool, ...origin }) => toOffer(tool, origin));
    },
    pins: (list) => {
      const found = offered.get(list);
      const packages = packagesOf(live, lock.packagesOf(list));
      return { packages, ...(found && { instructions: found.instructions, offers: found.lists }) };
    },
    equip(passed, taken, list) {
      const found = offered.get(list);
      const gate = lock.of(list);
      // A lock tells of changes itself, each time.
      if (gate.lock.state === 'absent') list.report(...(found?.changes ?? []));
      for (const server of live.servers) {
        const { name } = server.settings;
        server.instructions = gate.silenced.has(name) ? undefined : found?.instructions.get(name)?.shown;
        server.denied = deniedOf(server, found?.tools ?? [], gate);
        server.refused = policy.refuses(name, list);
      }
      return login.filter((tool) => {
        const isFree = !taken.has(tool.metadata.name);
        if (!isFree) list.report(warnOfLogin(tool));
        return isFree;
      });
    },
    offers: (taken, list) =>
      live.offers(new Set([...taken, 'board_tools']), { isPinned: (...item) => lock.of(list).isPinned(...item) }),
    ownFiles: () =>
      live.servers.flatMap(({ settings: { address } }) =>
        address.type === 'stdio' ? programFiles([address.file, ...address.args], address.cwd) : [],
      ),
    mayBring: (wanted) =>
      live.servers.some(({ manifest }) => manifest === undefined) &&
      (wanted === undefined || live.ownersOf(wanted).length > 0),
    pending: (wanted, wish) => arrivals.arrival(wanted, wish),
    explainAbsence: (wanted) => arrivals.explain(wanted),
    ready: (retry) => arrivals.all(retry),
    diagnostics: () => live.report(mode),
    started() {
      for (const server of live.servers) follow(server, { host, pool, arrivals: isAsking ? arrivals : undefined });
      if (isAsking && live.servers.length > 0) arrivals.askSoon();
    },
    async retire(isClosing) {
      arrivals.stop();
      pool.release(live);
      if (isClosing) await pool.pool.close();
    },
  };
}

/** Says which servers are asked without a call. A board that is opened to look starts none. */
function serverMode({ mode, options: { servers, eager } }: FeatureHost): ServerMode {
  if (mode === 'look') return 'cached';
  return servers ?? (eager === true ? 'eager' : 'lazy');
}

function toOffer(tool: Tool, { server, upstream, lock }: ServerOrigin): ToolOffer {
  return { tool, origin: `mcp ${server.settings.name}/${upstream}`, lock, server };
}

/** Returns the packages of servers for the lock: those that run, and for other servers those that it has. */
function packagesOf({ members }: LiveServers, locked: ReturnType<LockApi['packagesOf']>): PinnedTexts['packages'] {
  const found = members.flatMap(({ config, server }) => {
    const { name } = server.settings;
    const pin = server.packagePin(locked?.get(name));
    return pin === undefined ? [] : [[name, { pin, lock: config.lock }] as const];
  });
  return new Map(found);
}

/** Returns the reasons for which tools and prompts of a server must not be used, by their names there. */
function deniedOf(server: SharedServer, tools: OfferedTools['tools'], gate: GateOutcome): ReadonlyMap<string, string> {
  const { name } = server.settings;
  const denied = tools.flatMap((one) => {
    const reason = one.server === server ? gate.denied.get(one.tool.metadata.name) : undefined;
    return reason === undefined ? [] : [[one.upstream, reason] as const];
  });
  const changed = server.manifest?.prompts.filter((prompt) => !gate.isPinned(name, 'prompts', prompt)) ?? [];
  const prompts = changed.map((prompt) => {
    const reason = `The prompt "${prompt.name}" is not what the lock says, and its lock is not open. Review it and run ${gate.lock.command}.`;
    return [promptKey(prompt.name), reason] as const;
  });
  return new Map([...denied, ...prompts]);
}

interface Followed {
  readonly host: FeatureHost;
  readonly pool: ServerPool;
  /** Asks servers again that failed; `undefined` where none is asked without a call. */
  readonly arrivals: ServerArrivals | undefined;
}

/** Puts the tools that a server offers from now on on the board, and passes on its reports. */
function follow(server: SharedServer, { host, pool, arrivals }: Followed): void {
  const { name } = server.settings;
  server.onOffer = async () => {
    const work = host.changed();
    pool.arriving.add(work);
    await work.finally(() => pool.arriving.delete(work));
    host.emit('server-changed', { server: name, diagnostics: host.board().diagnostics });
  };
  server.onResources = () => host.emit('resources-changed', undefined);
  server.onLog = (line) => host.emit('logged', line);
  server.onFailure = (_, failure) => {
    host.emit('server-failed', { server: name, failure });
    arrivals?.askSoon();
  };
}

function warnOfLogin({ metadata: { name, source = '' } }: Tool): Diagnostic {
  const message = `users log in at "${source}" with a tool "${name}", and another tool has that name. They can log in only by a call of its tools.`;
  return { severity: 'warning', file: source, path: ['mcpServers', source], message };
}

/** Characters of what a server says of itself that searches read. */
const LONGEST_ABOUT = 1_000;

/** Returns the titles, instructions and prompts of servers, as far as the lock lets them pass. */
function aboutServers(servers: readonly SharedServer[]): Map<string, string> {
  const said = servers.map(({ settings, manifest, instructions, denied }) => {
    const prompts = (manifest?.prompts ?? []).filter(({ name }) => !denied.has(promptKey(name)));
    const words = prompts.flatMap(({ name, title, description }) => [title ?? name, description]);
    const texts = [manifest?.title, instructions, ...words].filter((text) => text !== undefined);
    return [settings.name, texts.map((text) => text.slice(0, LONGEST_ABOUT)).join('\n')] as const;
  });
  return new Map(said.filter(([, text]) => text !== ''));
}

/** Describes the servers that a tool reaches. Secrets are left out: one that was renewed does not make another tool. */
function describeServers(tool: Tool, servers: readonly SharedServer[], redact: (value: unknown) => unknown): string[] {
  const sources = restrictingSources(tool);
  return servers
    .filter(({ settings }) => sources.includes(settings.name))
    .map(({ settings }) => settingsKey(settings, (text) => String(redact(text))));
}
