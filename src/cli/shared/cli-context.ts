import type { Readable } from 'node:stream';
import { revealHiddenJson } from '../../tool/texts/reveal-hidden.ts';
import { stripEscapes } from '../../platform/outputs/decode-output.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import type { RunningBoard } from './board/lend-board.ts';
import { type CliOutput, gateOutput, ungated } from './print/gate-output.ts';

/** The parts of the process that commands may use. */
export interface CliContext {
  readonly stdin: Readable & {
    readonly isTTY?: boolean;
    /** @internal True for a pipe or a file; set where the stream itself does not tell. */
    readonly isPiped?: boolean;
    /** @internal Returns true if there is something to read, where that takes a question to another process. */
    readonly peek?: () => Promise<boolean>;
  };
  /** Opens the input as a stream of messages, where it is a pipe. A chunk is valid only until its listener returns. */
  openPipedInput?(): Readable | undefined;
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Trusts the config for this command: it may belong to another user, and code that it names may run. Default: false. */
  readonly trustsFound?: boolean;
  /** Aborts when the person at the terminal stops the command. */
  readonly signal: AbortSignal;
  /** Handles the next Ctrl-C instead of stopping the command. Returns a function that restores the default. */
  onInterrupt?(listener: () => void): () => void;
  /** Calls the listener when the process is asked to end, so that servers can stop gracefully. */
  onTerminate?(listener: () => void): void;
  /** @internal Runs another command line in this process, with a context of its own. */
  readonly runCommand?: ((args: readonly string[], context: CliContext) => Promise<number>) | undefined;
  /** @internal The board of this process, for a command line that another process gave it. Commands use it and do not close it. */
  readonly running?: RunningBoard;
  /** @internal Asks the person at the terminal of that other process. */
  readonly approve?: Approve | undefined;
}

/** Returns the context with filtered outputs. Each output is opened on first use. */
export function gateContext(context: CliContext): CliContext {
  return new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      // The context's type guarantees these two.
      return key === 'stdout' || key === 'stderr' ? gateOutput(value as CliOutput) : value;
    },
  });
}

export function printLine(output: CliOutput, text: string): void {
  output.write(`${text}\n`);
}

export function printJson({ stdout }: CliContext, data: unknown): void {
  printLine(stdout, formatJson(data));
}

/** Formats data as JSON, with hidden characters escaped. */
export function formatJson(data: unknown): string {
  return revealHiddenJson(JSON.stringify(data, undefined, 2) ?? 'null');
}

/** Prints text that is data: programs get every byte, terminals get it without escape sequences. */
export function printText(output: CliOutput, text: string): void {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (output.isTTY === true) output.write(stripEscapes(whole));
  else ungated(output).write(whole);
}

/** Prints why a command did nothing and returns its exit code. */
export function refuse({ stderr }: CliContext, reason: string): number {
  printLine(stderr, reason);
  return 1;
}

/** Returns true when a person can be asked: input and stderr are terminals, outside of CI. */
export function canAsk({ stdin, stderr, env }: CliContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && (env['CI'] ?? '') === '';
}
