import type { ProcessTree } from './trees/kill-tree.ts';
import type { CapturedOutput, CaptureOptions } from '../outputs/output-capture.ts';
import type { Spawner } from './spawn/spawner.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { ToolError } from '../../tool/tool-error.ts';

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

export type LimitName = 'cpu' | 'memory' | 'processes' | 'fileSize';

export interface ProcessOutputs {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** The output of a running child. */
export interface OutputsSoFar {
  /** Returns the number of bytes in both streams. */
  readonly size: () => number;
  readonly peek: () => ProcessOutputs;
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

/** Maximum bytes of one argument or variable on Linux, including its NUL (MAX_ARG_STRLEN). */
const MAX_STRING = 128 * 1024;
/** Maximum bytes of all arguments and variables: a quarter of the usual stack on Linux, ARG_MAX on macOS. */
const MAX_TOTAL = process.platform === 'darwin' ? 1024 * 1024 : 2 * 1024 * 1024;
/** A generous allowance for what the system puts on the child's stack. */
const RESERVED = 8 * 1024;
/** The NUL and the pointer for each string. */
const PER_STRING = 9;

/** Throws `invalid_arguments` for values that no child can receive byte for byte. The message names the value and the fix. */
export function checkRequest({ file, args, cwd, env, stdin }: ProcessRequest): void {
  if (file === '') refuse('file', 'The program to run is an empty string', 'Give a path or a name in PATH.');
  checkText('file', 'The program', file);
  if (cwd !== undefined) checkText('cwd', 'The working directory', cwd);
  if (typeof stdin === 'string' && !stdin.isWellFormed()) refuseSurrogate('stdin', 'Standard input');
  let total = RESERVED + Buffer.byteLength(file) + PER_STRING;
  for (const [index, arg] of args.entries()) total += checkString(`args[${index}]`, `Argument ${index + 1}`, arg);
  for (const name of Object.keys(env)) total += checkVariable(name, env[name] ?? '');
  if (total > MAX_TOTAL) {
    refuse(
      'args',
      `The arguments and the environment are ${count(total)} bytes together and the system takes ${count(MAX_TOTAL)}`,
      'Pass less, or pass the data on standard input or in a file.',
    );
  }
}

function checkVariable(name: string, value: string): number {
  const field = `env.${name}`;
  if (name === '' || name.includes('='))
    refuse(field, `The environment variable name ${describeValue(name)} is empty or contains "="`, 'Rename it.');
  return checkString(field, `Environment variable ${describeValue(name)}`, `${name}=${value}`);
}

function checkString(field: string, label: string, text: string): number {
  checkText(field, label, text);
  const bytes = Buffer.byteLength(text);
  if (bytes >= MAX_STRING && process.platform !== 'darwin') {
    refuse(
      field,
      `${label} is ${count(bytes)} bytes and the system takes ${count(MAX_STRING - 1)} in one`,
      'Shorten it, or pass the data on standard input or in a file.',
    );
  }
  return bytes + PER_STRING;
}

function checkText(field: string, label: string, text: string): void {
  const nul = text.indexOf('\0');
  if (nul !== -1)
    refuse(field, `${label} contains a NUL byte at position ${nul}, which no program can receive`, 'Remove it.');
  if (!text.isWellFormed()) refuseSurrogate(field, label);
}

function refuseSurrogate(field: string, label: string): never {
  refuse(field, `${label} contains half of a surrogate pair, which has no bytes in UTF-8`, 'Send whole characters.');
}

function refuse(field: string, reason: string, advice: string): never {
  throw new ToolError({ code: 'invalid_arguments', message: `${reason}. ${advice}`, field, reason });
}

function count(bytes: number): string {
  return bytes.toLocaleString('en-US');
}
