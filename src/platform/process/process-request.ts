import type { ProcessTree } from './trees/kill-tree.ts';
import type { CapturedOutput, CaptureOptions } from '../outputs/output-capture.ts';
import type { Spawner } from './spawn/spawner.ts';

/** One command line to run. */
export interface ProcessRequest {
  /** The program: a path, or a name to look up in the PATH of `env`. */
  readonly file: string;
  /** Each string becomes one argument, byte for byte. */
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** The child's complete environment. Only a marker variable is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is empty by default. */
  readonly stdin?: string | Uint8Array | undefined;
  /** Ends the whole process tree when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between TERM and KILL. Default: 2,000. */
  readonly grace?: number;
  readonly capture?: Omit<CaptureOptions, 'isHeard'>;
  /** Checks the running tree ten times a second. Returning a limit ends the tree at once. */
  readonly findExceeded?: ((tree: ProcessTree) => LimitName | undefined) | undefined;
  /** Called when the child has started, with a function that returns its output so far. */
  readonly onStart?: ((peek: () => ProcessOutputs) => void) | undefined;
  /**
   * Creates a check that runs twice a second and returns the question that the tree waits on a person for. A question ends the tree. Linux
   * only.
   */
  readonly watchQuestion?:
    | ((tree: ProcessTree, outputs: OutputsSoFar) => Promise<() => Question | undefined>)
    | undefined;
  /** Called with output as it arrives. */
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Default: the shared spawner. */
  readonly spawner?: Spawner;
}

/** The resources with limits. */
export type LimitName = 'cpu' | 'memory' | 'processes' | 'fileSize';

/** The output of a child. */
export interface ProcessOutputs {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** The output of a running child. */
export interface OutputsSoFar {
  /** Returns the number of bytes in both streams. */
  size(): number;
  peek(): ProcessOutputs;
}

/** The reason why a child never ran, or why its end is unknown. */
export type ProcessFailureReason =
  | 'not_found'
  | 'not_executable'
  | 'too_large'
  | 'bad_cwd'
  /** The signal aborted before the start. */
  | 'cancelled'
  | 'other';

/** A child that never ran, or whose end is unknown. */
export interface ProcessFailure {
  readonly type: 'failed';
  readonly reason: ProcessFailureReason;
  readonly message: string;
}

/** A question of a command, or its message that it found no terminal. */
export interface Question {
  readonly text: string;
  readonly isAsked: boolean;
  /** Set when it wanted an editor or a screen instead of an answer. */
  readonly wants?: Wanted;
}

export type Wanted = 'editor' | 'screen';

/** A child that ran and ended, by itself or by a signal. */
export interface ProcessExit extends ProcessOutputs {
  readonly type: 'exited';
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The limit for which `findExceeded` ended it. */
  readonly exceeded?: LimitName | undefined;
  /** The question for which `watchQuestion` ended it. */
  readonly question?: Question | undefined;
  /** A prompt of its script that may not have been shown without a terminal. */
  readonly unseenPrompt?: string | undefined;
}

export type ProcessOutcome = ProcessExit | ProcessFailure;
