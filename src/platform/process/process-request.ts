import type { ProcessTree } from './trees/kill-tree.ts';
import type { CapturedOutput, CaptureOptions } from '../outputs/output-capture.ts';
import type { Spawner } from './spawn/spawner.ts';

/** One command line to run. */
export interface ProcessRequest {
  /** The program: a path, or a name looked up in the PATH of `env`. */
  readonly file: string;
  /** One string, one argv element, byte for byte. */
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** The child's whole environment; only a marker variable is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Fed to standard input, which is otherwise empty. */
  readonly stdin?: string | Uint8Array | undefined;
  /** Ends the whole process tree when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between TERM and KILL. Default: 2,000. */
  readonly grace?: number;
  readonly capture?: Omit<CaptureOptions, 'isHeard'>;
  /** Looks at the running tree ten times a second; what it gives ends the tree at once. */
  readonly findExceeded?: ((tree: ProcessTree) => LimitName | undefined) | undefined;
  /** Called when the child has started, with what tells its outputs so far. */
  readonly onStart?: ((peek: () => ProcessOutputs) => void) | undefined;
  /** Makes what looks twice a second whether the tree waits for an answer of a person: what it asks ends the tree. Linux only. */
  readonly watchQuestion?:
    | ((tree: ProcessTree, outputs: OutputsSoFar) => Promise<() => Question | undefined>)
    | undefined;
  /** Called with what the child prints, as it comes. */
  readonly onOutput?: ((chunk: Buffer, stream: 'stdout' | 'stderr') => void) | undefined;
  /** What starts the child. Default: the shared spawner. */
  readonly spawner?: Spawner;
}

/** What a command may use of the machine. */
export type LimitName = 'cpu' | 'memory' | 'processes' | 'fileSize';

/** What a child printed. */
export interface ProcessOutputs {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** What a running child has printed. */
export interface OutputsSoFar {
  /** Bytes of both streams. */
  size(): number;
  peek(): ProcessOutputs;
}

/** Why a child never ran, or how its fate was lost. */
export type ProcessFailureReason =
  | 'not_found'
  | 'not_executable'
  | 'too_large'
  | 'bad_cwd'
  /** The signal had aborted before the start. */
  | 'cancelled'
  | 'other';

/** A child that never ran, or whose fate is unknown. */
export interface ProcessFailure {
  readonly type: 'failed';
  readonly reason: ProcessFailureReason;
  readonly message: string;
}

/** What a command wanted to know, or that it found no terminal to ask at. */
export interface Question {
  readonly text: string;
  readonly isAsked: boolean;
  /** It did not want an answer but an editor, or a whole screen to draw on. */
  readonly wants?: Wanted;
}

/** What a command may want besides an answer. */
export type Wanted = 'editor' | 'screen';

/** A child that ran and ended, by itself or by a signal. */
export interface ProcessExit extends ProcessOutputs {
  readonly type: 'exited';
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What `findExceeded` ended it for. */
  readonly exceeded?: LimitName | undefined;
  /** What it asked or wanted, where `watchQuestion` ended it. */
  readonly question?: Question | undefined;
  /** What its script may have asked unseen, for want of a terminal. */
  readonly unseenPrompt?: string | undefined;
}

/** How a command line ended. */
export type ProcessOutcome = ProcessExit | ProcessFailure;
