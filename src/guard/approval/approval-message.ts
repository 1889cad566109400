import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { writeArguments, writeValue, type WrittenArgument } from './show-argument.ts';

/** The call that a person is asked about. */
export interface AskedCall {
  readonly tool: string;
  readonly risk: ToolRisk;
  /** The arguments that give the call this risk, where the tool itself has less: `type=secret*`. */
  readonly raisedBy?: readonly string[] | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** The names of arguments that the tool's schema declares, in its order. */
  readonly declared: readonly string[];
  /** The tool's own words, with `{argument}` where a value belongs. */
  readonly template?: string | undefined;
}

/** The most characters of arguments in one question: more than that no channel shows in a way that can be read. */
const MAX_ARGUMENTS = 20_000;
/** A value that is longer than this interrupts the tool's own words, and is listed below them. */
const MAX_WITHIN = 200;
/** An argument gets at least this many characters; where there are too many of them, the last are only counted. */
const LEAST = 120;

/**
 * The question a person is asked: the call with each argument whole, in quotes, on a line of its own.
 *
 * A tool's own words come first and hide nothing: arguments they do not mention are listed below them. Beyond `limit`
 * characters of arguments the question says what it does not show, before and where it is missing.
 */
export function approvalMessage(call: AskedCall, limit: number = MAX_ARGUMENTS): string {
  const { tool, input, declared, template, raisedBy = [] } = call;
  const risk = raisedBy.length === 0 ? call.risk : `${call.risk} with ${raisedBy.join(', ')}`;
  if (template === undefined) {
    const written = writeArguments(input, declared);
    if (written.length === 0) return `Allow ${tool} (${risk}) without arguments?`;
    return withArguments(`Allow ${tool} (${risk}) with these arguments?`, written, limit);
  }
  const { words, mentioned } = fillTemplate(template, input);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !mentioned.has(name)));
  return withArguments(`${tool} (${risk}): ${words}`, writeArguments(rest, declared), limit);
}

/** A tool's own words with values in them, and the names of the arguments whose values are there. */
export function fillTemplate(
  template: string,
  input: Readonly<Record<string, unknown>>,
): { readonly words: string; readonly mentioned: ReadonlySet<string> } {
  const mentioned = new Set<string>();
  // Once, so that a value with braces in it stays a value. Quotes around an argument are the value's own then.
  const words = revealHidden(template).replaceAll(
    /(["'`]?)\{([^{}]+)\}\1/g,
    (whole: string, _quote: string, name: string) => {
      if (!Object.hasOwn(input, name)) return whole;
      const value = writeValue(input[name]);
      if (value.length > MAX_WITHIN) return `${name} (below)`;
      mentioned.add(name);
      return value;
    },
  );
  return { words, mentioned };
}

function withArguments(question: string, written: readonly WrittenArgument[], limit: number): string {
  if (sizeOf(written) <= limit) return [question, ...written.map(toLine)].join('\n');
  const { lines, missing } = shorten(written, limit);
  const warning =
    `NOT ALL OF IT IS SHOWN: ${count(missing)} of ${count(sizeOf(written))} characters are left out. ` +
    'The inspector shows the arguments whole. Say no unless you know what they are.';
  return [question, warning, ...lines, warning].join('\n');
}

/** Long values give way, short ones stay whole; both ends of what is cut are kept. */
function shorten(
  written: readonly WrittenArgument[],
  limit: number,
): { readonly lines: readonly string[]; readonly missing: number } {
  const room = Math.max(LEAST, fairShare(written, limit));
  const lines: string[] = [];
  let missing = 0;
  let used = 0;
  for (const [index, { label, text }] of written.entries()) {
    const names = cut(label, LEAST);
    const value = cut(text, room);
    const line = toLine({ label: names.shown, text: value.shown });
    if (used + line.length > limit * 1.5) {
      const rest = written.slice(index);
      lines.push(`  [${count(rest.length)} more arguments are NOT SHOWN]`);
      return { lines, missing: missing + sizeOf(rest) };
    }
    used += line.length;
    missing += names.missing + value.missing;
    lines.push(line);
  }
  return { lines, missing };
}

/** Returns the length that each value may have so that all of them fit; long values get the room that short ones do not need. */
function fairShare(written: readonly WrittenArgument[], limit: number): number {
  let room = limit;
  const sizes = written.map(({ label, text }) => label.length + text.length).toSorted((a, b) => a - b);
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(room / (sizes.length - index));
    if (size > share) return share;
    room -= size;
  }
  return limit;
}

function cut(text: string, room: number): { readonly shown: string; readonly missing: number } {
  if (text.length <= room) return { shown: text, missing: 0 };
  const half = Math.floor(room / 2);
  const missing = text.length - 2 * half;
  const ends = [text.slice(0, half), text.slice(-half)].map((end) => end.toWellFormed());
  return { shown: ends.join(` [${count(missing)} characters are NOT SHOWN here] `), missing };
}

function toLine({ label, text }: WrittenArgument): string {
  return `  ${label}: ${text}`;
}

function sizeOf(written: readonly WrittenArgument[]): number {
  return written.reduce((sum, { label, text }) => sum + label.length + text.length, 0);
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}
