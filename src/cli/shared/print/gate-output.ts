import { randomInt } from 'node:crypto';
import type { Writable } from 'node:stream';
import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';

/** A stream that a command prints to. */
export type CliOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The output behind each gate, and the gate of each output. */
const beneath = new WeakMap<CliOutput, CliOutput>();
const gates = new WeakMap<CliOutput, CliOutput>();
/** The redaction of each output. */
const redactors = new WeakMap<CliOutput, (text: string) => string>();

let known: { readonly mark: string; readonly pattern: RegExp } | undefined;

/**
 * Returns the mark of Pegboard's own escape sequences, which the gate recognizes and removes. Other texts cannot contain it: it is
 * random, new in each process, and never leaves it. It consists of numbers, so that marked sequences have no width.
 */
function ownMark(): NonNullable<typeof known> {
  if (known !== undefined) return known;
  const mark = Array.from({ length: 6 }, () => randomInt(1_000, 10_000)).join(';');
  return (known = { mark, pattern: new RegExp(String.raw`\u001B\[${mark};(\d+)([mK])`, 'g') });
}

/** Returns a colour sequence for an output with a gate. */
export function ownColour(code: number): string {
  return `\u001B[${ownMark().mark};${code}m`;
}

/** Returns the sequence that clears a terminal's line, for an output with a gate. */
export function clearLine(): string {
  return `\u001B[${ownMark().mark};0K`;
}

/** Makes a text safe for a terminal: keeps Pegboard's own escape sequences, escapes other hidden characters. */
export function gateText(text: string): string {
  if (!text.includes('\u001B')) return revealHidden(text);
  const parts = text.split(ownMark().pattern);
  let gated = '';
  for (let at = 0; at < parts.length; at += 3) {
    gated += revealHidden(parts[at] ?? '');
    const [code, final] = [parts[at + 1], parts[at + 2]];
    if (final === 'm') gated += `\u001B[${code}m`;
    else if (final === 'K') gated += '\r\u001B[K';
  }
  return gated;
}

/** Puts a gate in front of an output: everything written passes `gateText`. */
export function gateOutput(output: CliOutput): CliOutput {
  const before = gates.get(output);
  if (before !== undefined) return before;
  const write = (chunk: unknown, ...rest: never[]): boolean =>
    output.write(gateText(withoutSecrets(output, typeof chunk === 'string' ? chunk : String(chunk))), ...rest);
  const gate = new Proxy(output, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key);
      // Stream methods must be bound to the stream itself.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  gates.set(output, gate);
  beneath.set(gate, output);
  return gate;
}

/** Redacts everything that is written to an output with a gate from now on. */
export function withholdSecrets(output: CliOutput, redact: (text: string) => string): void {
  redactors.set(ungated(output), redact);
}

function withoutSecrets(output: CliOutput, text: string): string {
  return redactors.get(output)?.(text) ?? text;
}

/** Returns the output without its gate: for data that programs read, and for prompts, whose texts must pass `gateText` first. */
export function ungated(output: CliOutput): CliOutput {
  return beneath.get(output) ?? output;
}
