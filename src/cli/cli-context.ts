import type { Readable, Writable } from 'node:stream';

/** A stream people or programs read from us. */
export type CliOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything of the process that commands may use. */
export interface CliContext {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts when the person at the terminal stops the command. */
  readonly signal: AbortSignal;
  /** Takes the next Ctrl-C, which then does not stop the command. Gives what hands it back. */
  onInterrupt?(listener: () => void): () => void;
  /** Calls back when the process is asked to end; servers stop in their own time then. */
  onTerminate?(listener: () => void): void;
}

/** Prints a line for whoever asked. */
export function printLine(output: CliOutput, text: string): void {
  output.write(`${text}\n`);
}

/** Prints data for programs. */
export function printJson({ stdout }: CliContext, data: unknown): void {
  printLine(stdout, JSON.stringify(data, undefined, 2));
}

/** Whether a person can be asked: both what they read and what they type is a terminal. */
export function canAsk({ stdin, stderr, env }: CliContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && (env['CI'] ?? '') === '';
}
