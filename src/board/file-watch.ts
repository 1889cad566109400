import { statSync } from 'node:fs';
import { ConfigError } from '../load/diagnostics/diagnostic.ts';
import { isDiscoveryTool, isHelperTool, isProgramTool, isSkillTool } from '../tool/tool-marks.ts';
import type { Tool } from '../tool/tool.ts';
import { watchFiles } from './watch-files.ts';

/** The board whose files are watched. */
export interface WatchedBoard {
  files(): readonly string[];
  /** True when its policy lets tools change the files. */
  isOpen(): boolean;
  reload(): Promise<unknown>;
  /** Reports changes that are ignored. */
  refuse(error: ConfigError): void;
  /** Stores a change that waits for a person; there where changes that a tool may have made wait, too. */
  note?(): Promise<void>;
}

/** The states of the files before a board is read from them. */
export interface FileReview {
  /** Changes that a tool may have made, each for people. */
  readonly held: readonly string[];
  /** The board is read from the files as they were. */
  accept(): void;
}

type States = ReadonlyMap<string, string | undefined>;

/**
 * Reloads a board when one of its files changes, unless the change was made while a tool ran that may write.
 *
 * It does not detect processes that a tool leaves running after its call, nor calls of other processes.
 */
export class FileWatch {
  readonly #board: WatchedBoard;
  /** The states of the files that the board was read from. */
  #accepted: States;
  /** Files that a tool may have changed, with their states. */
  readonly #held = new Map<string, { readonly state: string | undefined; readonly tool: string }>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop: () => void;

  constructor(board: WatchedBoard) {
    this.#board = board;
    this.#accepted = this.#look();
    this.#stop = watchFiles(
      () => board.files(),
      () => this.takeOver(),
    );
  }

  /** Records the start of a tool call. Returns a function that ends it. */
  begin(tool: Tool, end: () => void): () => void {
    if (!mayWrite(tool)) return end;
    const before = this.#look();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.add(promise);
    return () => {
      end();
      this.#running.delete(promise);
      for (const [file, state] of this.#look()) {
        if (before.has(file) && before.get(file) !== state && this.#accepted.get(file) !== state)
          this.#held.set(file, { state, tool: tool.metadata.name });
      }
      resolve();
    };
  }

  /** Looks at the files before the board is read from them. */
  review(): FileReview {
    const states = this.#look();
    for (const [file, { state }] of this.#held) if (states.get(file) !== state) this.#held.delete(file);
    return {
      held: this.#board.isOpen()
        ? []
        : [...this.#held].map(([file, { tool }]) => `${file} was changed while the tool "${tool}" ran`),
      accept: () => {
        this.#accepted = states;
        this.#held.clear();
      },
    };
  }

  stop(): void {
    this.#stop();
  }

  /** Reloads the board after the calls that may have changed its files. */
  async takeOver(): Promise<void> {
    // A running call may have made the change.
    if (!this.#board.isOpen() && this.#running.size > 0) {
      // A board that ends before the call does must not start again with it.
      await this.#board.note?.();
      await Promise.all(this.#running);
    }
    const now = this.#look();
    for (const [file, { state }] of this.#held) if (now.get(file) !== state) this.#held.delete(file);
    if (this.#held.size === 0 || this.#board.isOpen() || this.#board.note !== undefined) {
      await this.#board.reload();
      return;
    }
    const faults = [...this.#held].map(([file, { tool }]) => ({
      severity: 'error' as const,
      file,
      path: [],
      message: `was changed while the tool "${tool}" ran, so the change is not taken over. Look at it, then save the file again while no tool runs that writes, or restart the board. With policy.files.board: write such changes are taken over.`,
    }));
    this.#board.refuse(new ConfigError(faults));
  }

  #look(): States {
    return new Map(this.#board.files().map((file) => [file, stateOf(file)]));
  }
}

/** Returns true when a call of a tool may write files itself, and not only through calls of other tools. */
function mayWrite(tool: Tool): boolean {
  const { risk, argumentRisks } = tool.metadata;
  if (isHelperTool(tool) || isDiscoveryTool(tool) || isProgramTool(tool) || isSkillTool(tool)) return false;
  return risk !== 'read' || argumentRisks !== undefined;
}

/** Returns a text that identifies the state of a file: every write changes the last number, and no program can set it. */
function stateOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeNs}`;
  } catch {
    return undefined;
  }
}
