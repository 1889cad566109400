import { isPlainObject } from '../tool/json.ts';
import type { Embedder } from '../vectors/embedder.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { createLearner, type Learner } from '../discovery/learn/create-learner.ts';
import { LEARNED_SPACE } from '../discovery/learn/learned-queries.ts';
import type { IndexSource } from '../discovery/index-source.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import type { SearchWords } from './assembly/board-queries.ts';
import { createEmbedder } from '../vectors/create-embedder.ts';
import { findMaker } from '../vectors/embedder-config.ts';
import { cleanMessage } from '../pipeline/clean-message.ts';
import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { LoadedFile } from '../load/loaded-file.ts';
import { knowledgeDrivers, type Plugin } from '../load/plugins/define-plugin.ts';

/** What a board lends to what finds its tools. */
interface DiscoveryBoard {
  readonly source: IndexSource;
  readonly files: readonly LoadedFile[];
  readonly plugins: readonly Plugin[];
  readonly data: string;
  readonly executor: ToolExecutor;
  readonly store: () => BoardStore;
  /** Queries that models wrote for the tools, by name, and what MCP servers say of themselves. */
  readonly words: () => SearchWords;
}

/** A board's index with the embedder and the learner its files ask for. */
export interface BoardDiscovery {
  /** Made when first asked for. */
  readonly index: ToolIndex;
  /** Takes up what these files say: of themselves, of the embedder, and whether to learn. */
  follow(files: readonly LoadedFile[], plugins: readonly Plugin[]): void;
  /** Resolves once what was learned is read, and what is being learned is kept. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Keys under which callers say who they are, in the context of their calls. */
const SESSION_KEYS = ['sessionId', 'session', 'clientId', 'client'];

/** Opens what finds the tools of a board. Nothing is loaded, sent or read before the index is asked for. */
export function openDiscovery(board: DiscoveryBoard): BoardDiscovery {
  let embedding = openEmbedder(board, board.data);
  let doubtBelow = readDoubt(board.files);
  const queriesOf = (name: string): readonly string[] => board.words().queries.get(name) ?? [];
  const aboutSource = (source: string): string | undefined => board.words().about.get(source);
  let index: ToolIndex | undefined;
  let learner: BoardLearner | undefined;
  let stopListening: (() => void) | undefined;
  const listen = (): (() => void) =>
    board.executor.hooks.after(({ tool, args, context, result }) => {
      const { ok, data } = result;
      open();
      learner?.notice({ tool: tool.metadata.name, args, ok, data, session: sessionOf(context) });
    });
  const open = (): ToolIndex => {
    index ??= ToolIndex.from(board.source, { ...embedding, doubtBelow, queriesOf, aboutSource });
    if (stopListening === undefined) return index;
    learner ??= startLearning(index, board);
    return index;
  };
  const follow = (files: readonly LoadedFile[], plugins: readonly Plugin[]): void => {
    index?.refresh();
    doubtBelow = readDoubt(files);
    if (index !== undefined) index.doubtBelow = doubtBelow;
    const next = openEmbedder({ files, plugins }, board.data, embedding);
    if (next !== embedding) {
      index?.embedWith(next.embedder);
      // A search under way may still ask it: it gets an error, and looks at words.
      void embedding.embedder?.close();
      embedding = next;
    }
    const isWanted = wantsLearning(files);
    if (isWanted === (stopListening !== undefined)) return;
    if (isWanted) stopListening = listen();
    else {
      stopListening?.();
      void learner?.close();
      index?.forget();
      stopListening = learner = undefined;
    }
  };
  follow(board.files, board.plugins);
  return {
    get index() {
      return open();
    },
    follow,
    settled: async () => {
      if (stopListening !== undefined) open();
      await learner?.settled();
    },
    close: async () => {
      stopListening?.();
      await learner?.close();
      index?.close();
      await embedding.embedder?.close();
    },
  };
}

/** An embedder, and the config it was made from. */
interface Embedding {
  readonly embedder: Embedder | undefined;
  readonly config: string;
}

/** Opens the embedder that files ask for; the last that names one wins. One for the same config stays. */
function openEmbedder(
  { files, plugins }: Pick<DiscoveryBoard, 'files' | 'plugins'>,
  data: string,
  before?: Embedding,
): Embedding {
  const wanted = files.findLast(({ discovery }) => discovery['embedder'] !== undefined)?.discovery['embedder'];
  const config = JSON.stringify(wanted ?? null);
  if (before?.config === config) return before;
  if (!isPlainObject(wanted)) return { config, embedder: undefined };
  const make = findMaker(wanted, knowledgeDrivers(plugins).embedders) ?? createEmbedder;
  return { config, embedder: make(wanted, { data }) };
}

/** Below which certainty the files want searches to doubt; the last that says something wins. */
function readDoubt(files: readonly LoadedFile[]): number | undefined {
  const wanted = files.findLast(({ discovery }) => discovery['doubt_below'] !== undefined)?.discovery['doubt_below'];
  return typeof wanted === 'number' ? wanted : undefined;
}

/** Whether the files want the board to learn; the last that says something wins. */
export function wantsLearning(files: readonly LoadedFile[]): boolean {
  return files.findLast(({ discovery }) => discovery['learn'] !== undefined)?.discovery['learn'] === true;
}

/** A learner that follows what other processes of the board learn and forget. */
interface BoardLearner extends Learner {
  close(): Promise<void>;
}

function startLearning(index: ToolIndex, board: DiscoveryBoard): BoardLearner {
  const store = board.store();
  const redact = (text: string): string => cleanMessage(board.executor.redactor.text(text));
  const onKept = (): Promise<void> => store.signal(LEARNED_SPACE);
  const learner = createLearner({ store: store.space(LEARNED_SPACE), index, redact, onKept });
  const stop = store.watch(LEARNED_SPACE, () => void learner.refresh());
  return {
    ...learner,
    close: async () => {
      stop();
      await learner.settled();
    },
  };
}

function sessionOf(context: ToolContext): string {
  for (const key of SESSION_KEYS) {
    const value = context.getMeta(key);
    if (typeof value === 'string') return value;
  }
  return '';
}
