import type { WaitingChange } from '../guard/approval/waiting-change.ts';
import { ConfigError, type Diagnostic } from '../load/diagnostics/diagnostic.ts';
import type { Tool } from '../tool/tool.ts';
import type { Assembly } from './assembly/assemble.ts';
import type { BoardSetup } from './board-setup.ts';
import { toWarning, warnOfWaiting } from './changes/board-changes.ts';
import type { CarefulFiles } from './changes/careful-files.ts';
import { FileWatch, type WatchedBoard } from './file-watch.ts';
import { readBoard } from './read-board.ts';
import { watchFiles } from './watch-files.ts';

/** The next reading of the files, or the change of them that a person has to accept first. */
type NextReading =
  | {
      readonly type: 'read';
      readonly assembly: Assembly;
      /** Notes that the board stands on it now. */
      readonly accept: () => void;
    }
  | {
      readonly type: 'wait';
      readonly change: WaitingChange;
      /** True when nobody was told of it yet. */
      readonly isNew: boolean;
      readonly error: ConfigError;
    };

/** Reads the files of a board, watches them, and holds back changes that wait for a person. */
export class BoardReader {
  readonly #setup: BoardSetup;
  readonly #careful: CarefulFiles | undefined;
  /** The warning about a change that waits for a person. */
  #warnings: readonly Diagnostic[];
  #watch: FileWatch | undefined;
  #stopListening = (): void => {};

  private constructor(setup: BoardSetup, careful: CarefulFiles | undefined, warnings: readonly Diagnostic[]) {
    this.#setup = setup;
    this.#careful = careful;
    this.#warnings = warnings;
  }

  /** Prepares reading the files of a board. */
  static async open(setup: BoardSetup): Promise<BoardReader> {
    const { given, options, mode } = setup;
    const isCareful = options.watch === 'careful' && mode === 'run' && given.length > 0;
    const careful = isCareful ? await openCarefulFiles(setup) : undefined;
    return new BoardReader(setup, careful, await warnOfWaiting(setup));
  }

  /** Warnings about a change that waits at the board of these files, in whichever process that runs. */
  get warnings(): readonly Diagnostic[] {
    return this.#warnings;
  }

  /** Reads the files for the first time. */
  async first(): Promise<Assembly> {
    return readBoard(this.#setup, this.#careful?.accepted.contents);
  }

  /** Reads the files again, unless a person has to accept them first. */
  async next(): Promise<NextReading> {
    const review = this.#watch?.review();
    const decision = await this.#careful?.next(review?.held ?? []);
    if (decision?.type === 'wait') {
      const warning = toWarning(decision.change, this.#setup);
      this.#warnings = [warning];
      return { ...decision, error: new ConfigError([{ ...warning, severity: 'error' }]) };
    }
    review?.accept();
    const assembly = await readBoard(this.#setup, decision?.looked.contents);
    const accept = (): void => {
      if (decision !== undefined) this.#careful?.accept(decision.looked);
      this.#warnings = [];
    };
    return { type: 'read', assembly, accept };
  }

  /** Reloads a board when one of its files changes, or a person answers. */
  watch(board: Omit<WatchedBoard, 'note'>): void {
    const careful = this.#careful;
    const watch = (this.#watch ??= new FileWatch({
      ...board,
      files: () => [...board.files(), ...(careful?.watched ?? [])],
      ...(careful === undefined ? {} : { note: () => this.#note() }),
    }));
    if (careful === undefined) return;
    this.#stopListening = watchFiles(
      () => careful.answers,
      // A person saw exactly these files, so no call has to end first.
      () => (careful.isAnswered ? board.reload() : watch.takeOver()),
    );
  }

  /** A call of a tool begins; gives the function that ends it. */
  begin(tool: Tool, end: () => void): () => void {
    return this.#watch?.begin(tool, end) ?? end;
  }

  /** Stops watching. Notes a change that was not judged yet: the next start would accept it. */
  async stop(): Promise<void> {
    this.#watch?.stop();
    this.#stopListening();
    await this.#note();
  }

  /** Stores a change that waits, without reading the board again. */
  async #note(): Promise<void> {
    // Files that cannot be read change nothing.
    await this.#careful?.next(this.#watch?.review().held ?? []).catch(() => {});
  }
}

async function openCarefulFiles(setup: BoardSetup): Promise<CarefulFiles> {
  const { CarefulFiles: Files } = await import('./changes/careful-files.ts');
  return Files.open(setup);
}
