import type { Readable } from 'node:stream';
import { revealHiddenJson } from '../tool/texts/reveal-hidden.ts';
import { stripEscapes } from '../platform/outputs/strip-escapes.ts';
import { type CliOutput, gateOutput, ungated } from './print/gate-output.ts';

/** Everything of the process that commands may use. */
export interface CliContext {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Opens the same input for messages, instead of `stdin`, where it is a pipe; each chunk is only good until its listener returns. */
  openPipedInput?(): Readable | undefined;
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Trusts the config for this command: it may belong to another user, and what it names is run. Default: false. */
  readonly trustsFound?: boolean;
  /** Aborts when the person at the terminal stops the command. */
  readonly signal: AbortSignal;
  /** Takes the next Ctrl-C, which then does not stop the command. Returns a function that gives Ctrl-C back. */
  onInterrupt?(listener: () => void): () => void;
  /** Calls back when the process is asked to end; servers stop in their own time then. */
  onTerminate?(listener: () => void): void;
}

/** The same context with gates before its outputs. Each output is opened at its first use. */
export function gateContext(context: CliContext): CliContext {
  return new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      // The context's type says what these two are.
      return key === 'stdout' || key === 'stderr' ? gateOutput(value as CliOutput) : value;
    },
  });
}

/** Prints a line. */
export function printLine(output: CliOutput, text: string): void {
  output.write(`${text}\n`);
}

/** Prints data for programs. */
export function printJson({ stdout }: CliContext, data: unknown): void {
  printLine(stdout, formatJson(data));
}

/** Formats data as JSON; hidden characters in it are escaped. */
export function formatJson(data: unknown): string {
  return revealHiddenJson(JSON.stringify(data, undefined, 2) ?? 'null');
}

/** Prints a text that is data: a program gets every byte, a terminal gets it without escape sequences. */
export function printText(output: CliOutput, text: string): void {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (output.isTTY === true) output.write(stripEscapes(whole));
  else ungated(output).write(whole);
}

/** Prints why a command did nothing, for people and programs alike, and gives its exit code. */
export function refuse({ stderr }: CliContext, reason: string): number {
  printLine(stderr, reason);
  return 1;
}

/** Returns true when a person can be asked: both what they read and what they type is a terminal. */
export function canAsk({ stdin, stderr, env }: CliContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && (env['CI'] ?? '') === '';
}
