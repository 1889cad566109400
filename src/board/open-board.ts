import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { Elicit } from '../tool/elicitation.ts';
import type { OAuthLogin } from '../mcp/client/oauth/oauth-settings.ts';
import { Emitter } from '../tool/emitter.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallOptions } from '../pipeline/call-options.ts';
import type { ExecutorOptions } from '../pipeline/executor-options.ts';
import { ToolExecutor } from '../pipeline/tool-executor.ts';
import type { ToolIndex } from '../discovery/tool-index.ts';
import { toSentence } from '../kinds/broken/broken.ts';
import type { DryRun } from '../kinds/dry-step.ts';
import type { UpstreamPool } from '../mcp/client/upstream-pool.ts';
import type { UpstreamServer, UpstreamStatus } from '../mcp/client/upstream-server.ts';
import type { Approve } from '../guard/approval/guard.ts';
import { createOutputStore, type OutputStore } from '../platform/outputs/output-store.ts';
import { type ProcessLimits, ProcessQueue } from '../platform/process/process-queue.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { ToolRegistry } from './registry/tool-registry.ts';
import { type BoardStore, openBoardStore } from '../platform/store/board-store.ts';
import { bindTool } from '../tool/define/bind-tool.ts';
import { assemble, type Assembly } from './assemble.ts';
import { BoardAssemblies } from './board-assemblies.ts';
import { outputsFor } from '../kinds/outputs-for.ts';
import { type BoardDiscovery, openDiscovery } from './board-discovery.ts';
import { ConfigError, type Diagnostic } from '../load/diagnostics/diagnostic.ts';
import { createEquipper, type EquippedBoard } from './equip-board.ts';
import { KnowledgePools } from './knowledge-pools.ts';
import { loadConfig } from '../load/load-config.ts';
import type { LoadedFile } from '../load/loaded-file.ts';
import type { ApproveChanges, BoardLock } from './lock-gate.ts';
import type { DiscoveryTools } from './read-discovery.ts';
import { SecretLists } from '../guard/secrets/secret-lists.ts';
import type { ServerMode } from './servers/server-board.ts';
import { watchFiles } from './watch-files.ts';

/** How a board is opened. */
export interface OpenBoardOptions extends Omit<ExecutorOptions, 'guard' | 'lease' | 'secrets'> {
  /** Where `${NAME}` and the variables of commands come from; this process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where relative files are looked for; this process's own by default. */
  readonly cwd?: string;
  /** Asks a person whether a call may run, where the policy wants that. Without it nobody can be asked. */
  readonly approve?: Approve;
  /** Puts the tools for finding others on the board, whatever its files say. */
  readonly discoveryTools?: DiscoveryTools;
  /** Reloads when a file changes. */
  readonly watch?: boolean;
  /** Private hosts, `host:port` or networks that every http tool may reach, besides those its config names. */
  readonly allowHosts?: readonly string[];
  /** How many commands run at once and how many calls may wait for that, before `processes` in the config. MCP servers do not count. */
  readonly processes?: ProcessLimits;
  /** The folder for what the board keeps; otherwise `PEGBOARD_DATA`, `data` in the config, `.pegboard` beside it. */
  readonly data?: string;
  /** Starts every MCP server of the config now, instead of each at its first call. */
  readonly eager?: boolean;
  /** `cached` starts no MCP server: those that nobody has asked yet have no tools. */
  readonly servers?: 'cached';
  /** `all` goes on after a fault, as far as it can, to tell of those that only show later too. */
  readonly faults?: 'all';
  /** Asks a person what an MCP server wants to know, where the caller of a tool brings nobody of its own. */
  readonly elicit?: Elicit;
  /** Logs a person in at servers that want it (OAuth); without one such a server says which command to run. */
  readonly login?: OAuthLogin;
  /** Asks a person about tools that are not what `pegboard.lock` says, under `lock: approve`. Nobody to ask is a no. */
  readonly approveChanges?: ApproveChanges;
  /** `ignore` lets every tool on the board, whatever `pegboard.lock` says. */
  readonly lock?: 'ignore';
}

/** An MCP server of the board, and how it is doing. */
export interface BoardServer extends UpstreamStatus {
  readonly name: string;
  /** How many tools it offers; `undefined` while that is not known. */
  readonly offered: number | undefined;
  /** Starts it, or connects to it, now; gives what went wrong. */
  connect(): Promise<string | undefined>;
}

/** A tool that is off. */
export interface UnavailableTool {
  readonly name: string;
  /** Why, and what to do. */
  readonly reason: string;
}

/** What a board tells its listeners. */
export interface BoardEvents extends Record<string, unknown> {
  reloaded: { readonly files: readonly LoadedFile[]; readonly diagnostics: readonly Diagnostic[] };
  'reload-failed': { readonly error: ConfigError };
  /** An MCP server offers something else than before, and the board has taken it up. */
  'server-changed': { readonly server: string; readonly diagnostics: readonly Diagnostic[] };
}

/** Config files turned into a ready board. */
export interface Board {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** Finds tools by what they do; made when first asked for. */
  readonly index: ToolIndex;
  /** The names of tools that stay listed where others must be searched for; those that are on the board. */
  readonly pinned: readonly string[];
  /** The folder for what the board keeps between runs; made when something is kept. */
  readonly data: string;
  /** Small records that are kept between runs; opened when first asked for. */
  readonly store: BoardStore;
  /** Outputs that were too large to return, kept for a while. */
  readonly outputs: OutputStore;
  /** The collections of the config's `rag` section and its tools; loaded when first asked for. */
  knowledge(): Promise<Knowledge>;
  /** What was loaded, in the order in which later files win. */
  readonly files: readonly LoadedFile[];
  /** Warnings and notes about the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** The MCP servers of the config. */
  readonly servers: readonly BoardServer[];
  /** The tools that are off, since variables that they need are not set. */
  readonly unavailable: readonly UnavailableTool[];
  /** What `pegboard.lock` says about the tools. */
  readonly lock: BoardLock;
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult>;
  search(query: string): Tool[];
  /** Takes out of a text what must not be shown: secrets of the files, and tokens of servers. */
  redact(text: string): string;
  /** What a call would start or send, without doing it. */
  dryRun(name: string, args?: unknown): Promise<DryRun>;
  /** Reads the files again. When they have errors the board stays as it is. */
  reload(): Promise<{ readonly ok: true } | { readonly ok: false; readonly error: ConfigError }>;
  on<E extends keyof BoardEvents>(event: E, listener: (payload: BoardEvents[E]) => unknown): () => void;
  /** Stops watching, closes connections and deletes kept outputs. */
  close(): Promise<void>;
}

/** Opens config files, folders or globs as a board. Throws a `ConfigError` that shows every fault in them. */
export async function openBoard(files: string | readonly string[], options: OpenBoardOptions = {}): Promise<Board> {
  const { env = process.env, cwd = process.cwd(), allowHosts = [], approve, watch, data, ...others } = options;
  const { eager, servers, elicit, login, approveChanges, lock, faults, discoveryTools, processes, ...executorOptions } =
    others;
  const serverMode: ServerMode = servers ?? (eager === true ? 'eager' : 'lazy');
  let pool: UpstreamPool | undefined;
  const given = typeof files === 'string' ? [files] : files;
  const secretLists = new SecretLists();
  const outputs = createOutputStore({
    gate: () => secretLists.redactor.gate(),
    folder: data === undefined ? join(tmpdir(), `pegboard-${userName()}`) : join(data, 'outputs'),
  });
  const pools = new KnowledgePools();
  const stores = new Map<string, BoardStore>();
  const storeIn = (folder: string): BoardStore => {
    const store = stores.get(folder) ?? openBoardStore({ folder });
    stores.set(folder, store);
    return store;
  };
  const closeStores = (): void => {
    for (const store of stores.values()) store.close();
  };
  let isReading = false;
  const queue = new ProcessQueue(processes);
  const read = async (): Promise<Assembly> => {
    const assembly = await assembleFiles(given, {
      env,
      cwd: resolve(cwd),
      data,
      allowHosts,
      outputs,
      processes: queue,
      pools,
      store: storeIn,
      secretLists,
      approve,
      pool: async () => (pool ??= new (await import('../mcp/client/upstream-pool.ts')).UpstreamPool()),
      serverMode,
      faults,
      elicit,
      login,
      approveChanges,
      lock,
    });
    queue.configure({ ...readProcessLimits(assembly.files), ...processes });
    return assembly;
  };
  const first = await read().catch(async (error: unknown) => {
    outputs.close();
    await pool?.close();
    closeStores();
    throw error;
  });
  /** Closes what no reading in use needs; not while another takes up servers and connections. */
  const sweep = (): void => {
    if (isReading) return;
    const { inUse } = assemblies;
    pool?.keepOnly(inUse.flatMap((assembly) => assembly.servers));
    void pools.keepOnly(inUse.map(({ knowledgePlan }) => knowledgePlan));
  };
  // Calls in flight finish on the reading they began on, so its connections and secrets stay until then.
  const assemblies = new BoardAssemblies(first, sweep);
  const executor = new ToolExecutor({
    ...executorOptions,
    secrets: () => secretLists.redactor,
    maxModelOutput: executorOptions.maxModelOutput ?? (() => maxModelOutputOf(assemblies.current.files)),
    // Without the tools that read them, kept texts would be of no use.
    keepOutput: (text, context) =>
      registry.has('output_read') ? outputsFor(context, outputs).keep(text)?.id : undefined,
    lease: (tool) => assemblies.begin(tool),
    // Asked again after a person answered: the policy may have changed while they made up their mind.
    guard: (request) => assemblies.current.guard?.(request),
  });
  const bound = new WeakMap<Tool, Tool>();
  // A tool that stays is the same object on the board, so that listeners hear of nothing that did not change.
  const bind = (tool: Tool, from: Assembly): Tool => {
    const known = bound.get(tool) ?? bindTool(tool, executor);
    bound.set(tool, known);
    assemblies.own(tool, from);
    assemblies.own(known, from);
    return known;
  };
  const registry = new ToolRegistry({ executor });
  registry.explainAbsence = (name) => {
    const reason = assemblies.current.explainAbsence(name);
    return reason === undefined ? undefined : toSentence(reason);
  };
  const equip = createEquipper(() => board);
  const allTools = (from: Assembly): EquippedBoard =>
    equip(from, {
      tools: from.tools.map((tool) => bind(tool, from)),
      wanted: discoveryTools ?? from.discovery.tools ?? false,
    });
  const events = new Emitter<BoardEvents>();
  let store: BoardStore | undefined;
  let reloading: Promise<unknown> = Promise.resolve();

  /** Takes up what servers offer from now on. */
  const follow = (assembly: Assembly): void => {
    for (const server of assembly.servers) {
      server.onOffer = async () => {
        await assembly.renew();
        if (assembly !== assemblies.current) return;
        equipped = allTools(assembly);
        registry.replaceAll(equipped.tools);
        events.emit('server-changed', { server: server.settings.name, diagnostics: equipped.diagnostics });
      };
    }
  };
  follow(first);

  const reload = async (): ReturnType<Board['reload']> => {
    isReading = true;
    try {
      const next = await read();
      const all = allTools(next);
      registry.replaceAll(all.tools);
      assemblies.replace(next);
      equipped = all;
      discovery.follow(next.files);
      follow(next);
    } catch (thrown) {
      const error = toConfigError(thrown, given);
      events.emit('reload-failed', { error });
      return { ok: false, error };
    } finally {
      isReading = false;
      sweep();
    }
    events.emit('reloaded', { files: assemblies.current.files, diagnostics: equipped.diagnostics });
    return { ok: true };
  };
  // One after the other: two changes at once must not overtake each other.
  const reloadInTurn = (): ReturnType<Board['reload']> => {
    const turn = reloading.then(reload, reload);
    reloading = turn;
    return turn;
  };
  const stopWatching =
    watch === true
      ? watchFiles(
          () => assemblies.current.watched,
          () => reloadInTurn(),
        )
      : undefined;

  const board: Board = {
    registry,
    executor,
    get index() {
      return discovery.index;
    },
    get pinned() {
      return assemblies.current.discovery.pinned.filter((name) => registry.has(name));
    },
    get data() {
      return assemblies.current.data;
    },
    get store() {
      return (store ??= storeIn(assemblies.current.data));
    },
    outputs,
    knowledge: () => assemblies.current.knowledge(),
    get files() {
      return assemblies.current.files;
    },
    get diagnostics() {
      return equipped.diagnostics;
    },
    get servers() {
      return assemblies.current.servers.map(toBoardServer);
    },
    get unavailable() {
      return unavailableTools(assemblies.current);
    },
    get lock() {
      return assemblies.current.lock;
    },
    call: (name, args, callOptions) => registry.call(name, args, callOptions),
    search: (query) => registry.search(query),
    redact: (text) => secretLists.redactor.text(text),
    dryRun: (name, args = {}) => assemblies.current.dryRun(name, args),
    reload: reloadInTurn,
    on: (event, listener) => events.on(event, listener),
    close: async () => {
      stopWatching?.();
      await discovery.close();
      await reloading;
      await pool?.close();
      await pools.close();
      await assemblies.close();
      outputs.close();
      closeStores();
    },
  };
  const discovery: BoardDiscovery = openDiscovery({
    source: board,
    files: first.files,
    data: first.data,
    executor,
    store: () => board.store,
  });
  let equipped = allTools(first);
  registry.registerMany(equipped.tools);
  return board;
}

/** What the files say about processes; of each setting the last one counts. */
function readProcessLimits(files: readonly LoadedFile[]): ProcessLimits {
  const { concurrency, queue } = Object.assign({}, ...files.map((file) => file.processes));
  return {
    ...(typeof concurrency === 'number' ? { concurrency } : {}),
    ...(typeof queue === 'number' ? { queue } : {}),
  };
}

/** What the files say about the characters of a result that a model gets; the last one wins. */
function maxModelOutputOf(files: readonly LoadedFile[]): number | undefined {
  return files.findLast(({ maxModelOutput }) => maxModelOutput !== undefined)?.maxModelOutput;
}

/** A user of a container may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}

function unavailableTools(assembly: Assembly): UnavailableTool[] {
  return assembly.unavailable.flatMap((name) => {
    const reason = assembly.explainAbsence(name);
    return reason === undefined ? [] : [{ name, reason }];
  });
}

/** Whatever goes wrong while files are read is a fault of theirs, and told as one. */
function toConfigError(thrown: unknown, files: readonly string[]): ConfigError {
  if (thrown instanceof ConfigError) return thrown;
  const message = `cannot be loaded: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return new ConfigError([{ severity: 'error', file: files.join(', '), path: [], message }]);
}

function toBoardServer(server: UpstreamServer): BoardServer {
  const connect = async (): Promise<string | undefined> => {
    const offer = await server.ask();
    return offer.type === 'failed' ? offer.message : undefined;
  };
  return { name: server.settings.name, offered: server.manifest?.tools.length, ...server.status, connect };
}

async function assembleFiles(given: readonly string[], options: Parameters<typeof assemble>[1]): Promise<Assembly> {
  try {
    return await assemble(await loadConfig(given, options), options);
  } catch (thrown) {
    throw toConfigError(thrown, given);
  }
}
