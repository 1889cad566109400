import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { Emitter } from '../core/emitter.ts';
import type { ToolResult } from '../core/tool-result.ts';
import type { Tool } from '../core/tool.ts';
import type { CallOptions } from '../execute/call-options.ts';
import type { ExecutorOptions } from '../execute/executor-options.ts';
import { ToolExecutor } from '../execute/tool-executor.ts';
import type { ToolIndex } from '../discovery/tool-index.ts';
import type { DryRun } from '../kinds/dry-run.ts';
import type { ApprovalRequest } from '../policy/guard.ts';
import { createOutputStore, type OutputStore } from '../process/output-store.ts';
import type { Knowledge } from '../rag/knowledge.ts';
import { ToolRegistry } from '../registry/tool-registry.ts';
import { type BoardStore, openBoardStore } from '../store/board-store.ts';
import { bindTools } from '../define/bind-tool.ts';
import { assemble, type Assembly } from './assemble.ts';
import { type BoardDiscovery, openDiscovery } from './board-discovery.ts';
import { ConfigError, type Diagnostic } from './diagnostic.ts';
import { KnowledgePools } from './knowledge-pools.ts';
import { loadConfig } from './load-config.ts';
import type { LoadedFile } from './loaded-file.ts';
import { watchFiles } from './watch-files.ts';

/** How a board is opened. */
export interface OpenBoardOptions extends Omit<ExecutorOptions, 'guard' | 'secrets'> {
  /** Where `${NAME}` and the variables of commands come from; this process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where relative files are looked for; this process's own by default. */
  readonly cwd?: string;
  /** Asks a person whether a call may run, where the policy wants that. Without it nobody can be asked. */
  readonly approve?: (request: ApprovalRequest) => boolean | Promise<boolean>;
  /** Reloads when a file changes. */
  readonly watch?: boolean;
  /** Private hosts, `host:port` or networks that every http tool may reach, besides those its config names. */
  readonly allowHosts?: readonly string[];
  /** The folder for what the board keeps; otherwise `PEGBOARD_DATA`, `data` in the config, `.pegboard` beside it. */
  readonly data?: string;
}

/** What a board tells its listeners. */
export interface BoardEvents extends Record<string, unknown> {
  reloaded: { readonly files: readonly LoadedFile[]; readonly diagnostics: readonly Diagnostic[] };
  'reload-failed': { readonly error: ConfigError };
}

/** Config files turned into a ready board. */
export interface Board {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** Finds tools by what they do; made when first asked for. */
  readonly index: ToolIndex;
  /** The folder for what the board keeps between runs; made when something is kept. */
  readonly data: string;
  /** Small records that are kept between runs; opened when first asked for. */
  readonly store: BoardStore;
  /** The collections of the config's `rag` section and its tools; loaded when first asked for. */
  knowledge(): Promise<Knowledge>;
  /** What was loaded, in the order in which later files win. */
  readonly files: readonly LoadedFile[];
  /** Warnings and notes about the files. */
  readonly diagnostics: readonly Diagnostic[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult>;
  search(query: string): Tool[];
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
  const { env = process.env, cwd = process.cwd(), allowHosts = [], approve, watch, data, ...executorOptions } = options;
  const given = typeof files === 'string' ? [files] : files;
  const outputs = createOutputStore({
    folder: data === undefined ? join(tmpdir(), `pegboard-${userInfo().username}`) : join(data, 'outputs'),
  });
  const pools = new KnowledgePools();
  const read = (): Promise<Assembly> =>
    assembleFiles(given, { env, cwd: resolve(cwd), data, allowHosts, outputs, pools, approve });
  let current = await read().catch((error: unknown) => {
    outputs.close();
    throw error;
  });
  // Calls in flight finish on the board they started on, so its connections and secrets stay until the end.
  const past: Assembly[] = [];
  const executor = new ToolExecutor({
    ...executorOptions,
    secrets: () =>
      past.length === 0 ? current.secrets : [...current.secrets, ...past.flatMap(({ secrets }) => secrets)],
    guard: async (request) => {
      const asked = current;
      const refusal = await asked.guard?.(request);
      // The policy may have changed while a person made up their mind.
      return refusal ?? (asked === current ? undefined : current.guard?.(request));
    },
  });
  const registry = new ToolRegistry({ executor }).registerMany(bindTools(current.tools, executor));
  const events = new Emitter<BoardEvents>();
  let store: BoardStore | undefined;
  let reloading: Promise<unknown> = Promise.resolve();

  const reload = async (): ReturnType<Board['reload']> => {
    try {
      const next = await read();
      registry.replaceAll(bindTools(next.tools, executor));
      past.push(current);
      current = next;
    } catch (thrown) {
      const error = toConfigError(thrown, given);
      events.emit('reload-failed', { error });
      return { ok: false, error };
    }
    const { files: loaded, diagnostics } = current;
    events.emit('reloaded', { files: loaded, diagnostics });
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
          () => current.watched,
          () => void reloadInTurn(),
        )
      : undefined;

  const board: Board = {
    registry,
    executor,
    get index() {
      return discovery.index;
    },
    get data() {
      return current.data;
    },
    get store() {
      store ??= openBoardStore({ folder: current.data });
      return store;
    },
    knowledge: () => current.knowledge(),
    get files() {
      return current.files;
    },
    get diagnostics() {
      return current.diagnostics;
    },
    call: (name, args, callOptions) => registry.call(name, args, callOptions),
    search: (query) => registry.search(query),
    dryRun: (name, args = {}) => current.dryRun(name, args),
    reload: reloadInTurn,
    on: (event, listener) => events.on(event, listener),
    close: async () => {
      stopWatching?.();
      await discovery.close();
      await reloading;
      await pools.close();
      await Promise.all([...past, current].map((assembly) => assembly.close()));
      outputs.close();
      store?.close();
    },
  };
  const discovery: BoardDiscovery = openDiscovery({
    source: board,
    files: current.files,
    data: current.data,
    executor,
    store: () => board.store,
    secrets: () => current.secrets,
  });
  return board;
}

/** Whatever goes wrong while files are read is a fault of theirs, and told as one. */
function toConfigError(thrown: unknown, files: readonly string[]): ConfigError {
  if (thrown instanceof ConfigError) return thrown;
  const message = `cannot be loaded: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return new ConfigError([{ severity: 'error', file: files.join(', '), path: [], message }]);
}

async function assembleFiles(
  given: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly data: string | undefined;
    readonly allowHosts: readonly string[];
    readonly outputs: OutputStore;
    readonly pools: KnowledgePools;
    readonly approve: OpenBoardOptions['approve'];
  },
): Promise<Assembly> {
  try {
    return await assemble(loadConfig(given, options), options);
  } catch (thrown) {
    throw toConfigError(thrown, given);
  }
}
