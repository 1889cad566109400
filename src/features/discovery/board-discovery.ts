import { createLearner, LEARNED_SPACE, type Learner } from '../../discovery/learn/create-learner.ts';
import { ToolIndex } from '../../discovery/tool-index.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import type { StandingBoard } from '../../load/features/feature-host.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { cleanMessage } from '../../pipeline/to-tool-error.ts';
import type { AfterExecute } from '../../pipeline/tool-hooks.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { createEmbedder } from '../../vectors/create-embedder.ts';
import type { Embedder } from '../../vectors/embedder.ts';
import { findMaker } from '../../vectors/embedder-config.ts';
import type { CompletedTools } from '../../load/features/open-feature.ts';
import type { ListQueries } from './board-queries.ts';
import type { DiscoverySettings } from './discovery-settings.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { isCodeTool } from '../../tool/tool-marks.ts';

/** The parts of a board's discovery. */
interface DiscoveryParts {
  readonly host: FeatureHost;
  readonly queries: ListQueries;
  /** Creates the tools for finding others; loaded only for boards that have some. */
  readonly createMetaTools: (board: StandingBoard) => readonly Tool[];
  /** The discovery with earlier settings, which this one continues. */
  readonly before: BoardDiscovery | undefined;
}

/** The index of a board, with its embedder and its learner. */
interface OpenIndex {
  readonly index: ToolIndex;
  readonly embedder: Embedder | undefined;
  readonly learner: BoardLearner | undefined;
}

/** A learner that also follows what other processes of the board learn and forget. */
interface BoardLearner extends Learner {
  close(): Promise<void>;
}

/** Keys with which callers identify themselves in the context of their calls. */
const SESSION_KEYS = ['sessionId', 'session', 'clientId', 'client'];

/** The index over the tools of a board. Nothing is loaded, sent or read before its first use. */
export class BoardDiscovery {
  readonly settings: DiscoverySettings;
  readonly #parts: DiscoveryParts;
  #before: BoardDiscovery | undefined;
  #open: OpenIndex | undefined;
  #metaTools: readonly Tool[] | undefined;

  constructor(settings: DiscoverySettings, parts: DiscoveryParts) {
    this.settings = settings;
    this.#parts = parts;
    this.#before = parts.before;
  }

  get index(): ToolIndex {
    return this.#opened().index;
  }

  /** Adds the tools for finding others to a list of tools. They stay the same objects after each reload. */
  complete(tools: readonly Tool[], files: readonly LoadedFile[]): CompletedTools {
    const before = this.#before;
    if (before !== undefined && before.settings.tools === this.settings.tools) this.#metaTools ??= before.#metaTools;
    this.#metaTools ??= this.#parts.createMetaTools(this.#parts.host.board());
    return addMetaTools(tools, this.#metaTools, files);
  }

  /** Applies the board's current files, and continues the index of earlier settings. */
  follow(): void {
    if (this.#before !== undefined) this.#open ??= this.#takeOver();
    this.#open?.index.refresh();
  }

  /** Links a call to the search that found its tool. */
  notice({ tool, args, context, result: { ok, data } }: AfterExecute): void {
    this.#opened().learner?.notice({ tool: tool.metadata.name, args, ok, data, session: sessionOf(context) });
  }

  /** Resolves once learned queries are read, and new ones are stored. */
  async settled(): Promise<void> {
    if (this.settings.learn === true) await this.#opened().learner?.settled();
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.learner?.close();
    open?.index.close();
    await open?.embedder?.close();
  }

  #opened(): OpenIndex {
    return (this.#open ??= this.#takeOver() ?? this.#create());
  }

  #create(): OpenIndex {
    const { host, queries } = this.#parts;
    const board = host.board();
    const embedder = this.#createEmbedder();
    const index = ToolIndex.from(board, {
      embedder,
      doubtBelow: this.settings.doubt_below,
      queriesOf: (name) => queries.chosen(board.list).get(name) ?? [],
      aboutSource: (source) => board.list.about.get(source),
    });
    return { index, embedder, learner: this.#startLearning(index) };
  }

  /** Continues the index of earlier settings, if it was used: callers that hold it see the new settings. */
  #takeOver(): OpenIndex | undefined {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined) return undefined;
    const open = before.#open ?? before.#takeOver();
    if (open === undefined) return undefined;
    before.#open = undefined;
    const { index } = open;
    index.doubtBelow = this.settings.doubt_below;
    const isSame = JSON.stringify(before.settings.embedder) === JSON.stringify(this.settings.embedder);
    const embedder = isSame ? open.embedder : this.#createEmbedder();
    if (!isSame) {
      index.embedWith(embedder);
      // A running search may still use it: it gets an error, and continues with words alone.
      void open.embedder?.close();
    }
    if (this.settings.learn === true) return { index, embedder, learner: open.learner ?? this.#startLearning(index) };
    void open.learner?.close();
    index.forget();
    return { index, embedder, learner: undefined };
  }

  #createEmbedder(): Embedder | undefined {
    const { embedder: config } = this.settings;
    if (config === undefined) return undefined;
    const { data, drivers } = this.#parts.host;
    return (findMaker(config, drivers.embedders) ?? createEmbedder)(config, { data });
  }

  #startLearning(index: ToolIndex): BoardLearner | undefined {
    if (this.settings.learn !== true) return undefined;
    const { host } = this.#parts;
    const { store } = host;
    const learner = createLearner({
      store: store.space(LEARNED_SPACE),
      index,
      redact: (text) => cleanMessage(String(host.redact(text))),
      onKept: () => store.signal(LEARNED_SPACE),
    });
    const stop = store.watch(LEARNED_SPACE, () => void learner.refresh());
    return {
      ...learner,
      close: async () => {
        stop();
        await learner.settled();
      },
    };
  }
}

function sessionOf(context: ToolContext): string {
  for (const key of SESSION_KEYS) {
    const value = context.getMeta(key);
    if (typeof value === 'string') return value;
  }
  return '';
}

/**
 * Adds the tools for finding others. If a tool of the files has the same name, it stays and a warning is reported; a tool with the name of
 * the one that runs programs is skipped.
 */
function addMetaTools(tools: readonly Tool[], added: readonly Tool[], files: readonly LoadedFile[]): CompletedTools {
  const taken = new Map(tools.map((tool) => [tool.metadata.name, tool]));
  const own = new Set(added.flatMap((tool) => (isCodeTool(tool) ? [tool.metadata.name] : [])));
  return {
    tools: [
      ...tools.filter(({ metadata }) => !own.has(metadata.name)),
      ...added.filter(({ metadata }) => own.has(metadata.name) || !taken.has(metadata.name)),
    ],
    diagnostics: added.flatMap(({ metadata }) => taken.get(metadata.name) ?? []).map((tool) => warn(tool, files, own)),
  };
}

function warn(
  { metadata: { name, source = '' } }: Tool,
  files: readonly LoadedFile[],
  own: ReadonlySet<string>,
): Diagnostic {
  const file = files.findLast(({ entries }) => entries.some(({ metadata }) => metadata.name === name));
  const path = file?.entries.findLast(({ metadata }) => metadata.name === name)?.path ?? [];
  const message = own.has(name)
    ? `the tool "${name}" is left out: the name belongs to the tool that runs programs. Rename it.`
    : `the tool "${name}" takes the place of the one for finding tools. Rename it if agents are to have that.`;
  return { severity: 'warning', file: file?.file ?? source, path, message, place: file?.locate(path) };
}
