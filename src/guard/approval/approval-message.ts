import type { ApprovalRequest } from '../../tool/calls/approval.ts';
import { quoteText, revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { isPlainObject } from '../../tool/json.ts';
import { createReferenceFinder, referenceOf } from '../../tool/parameters/schema-node.ts';

/** The call that a person is asked about. */
export type AskedCall = Pick<ApprovalRequest, 'tool' | 'risk' | 'raisedBy' | 'input' | 'declared' | 'template'>;

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

/** A value as a person reads it, nothing left out: hidden characters in its texts and keys are spelt out. */
export function showArgument(value: unknown): unknown {
  if (typeof value === 'string') return revealHidden(value);
  if (Array.isArray(value)) return value.map(showArgument);
  if (!isPlainObject(value)) return value;
  const shown = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    let name = revealHidden(key);
    // A key that is spelt as another looks must not take its place.
    while (shown.has(name)) name = quoteText(name);
    shown.set(name, showArgument(item));
  }
  return Object.fromEntries(shown);
}

/** An argument for a question: its name, and its value whole, on one line, texts in quotes. */
interface WrittenArgument {
  /** The name, and whether the tool's schema does not know it. */
  readonly label: string;
  readonly text: string;
}

/** Writes arguments for a question: those that the schema declares first, in its order, then the others, marked as such. */
export function writeArguments(
  args: Readonly<Record<string, unknown>>,
  declared: readonly string[],
): readonly WrittenArgument[] {
  const known = declared.filter((name) => Object.hasOwn(args, name));
  const others = Object.keys(args).filter((name) => !declared.includes(name));
  return [
    ...known.map((name) => ({ label: writeName(name), text: writeValue(args[name]) })),
    ...others.map((name) => ({ label: `${writeName(name)} (not in its schema)`, text: writeValue(args[name]) })),
  ];
}

/** A value as JSON on one line, hidden characters spelt out; what JSON would leave out is there too. */
export function writeValue(value: unknown): string {
  try {
    return revealHidden(JSON.stringify(value, showRest) ?? 'undefined');
  } catch {
    return '(A VALUE THAT CANNOT BE SHOWN)';
  }
}

/** Code may give values that JSON cannot hold, or empty ones. */
function showRest(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}

function writeName(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : quoteText(name);
}

/** The names of arguments that a schema declares, in its order; those of its parts and alternatives come after its own. */
export function declaredNames(schema: unknown): readonly string[] {
  const find = createReferenceFinder(isPlainObject(schema) ? schema : {});
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (!isPlainObject(part) || seen.has(part)) return;
    seen.add(part);
    if (isPlainObject(part['properties'])) for (const name of Object.keys(part['properties'])) names.add(name);
    const reference = referenceOf(part);
    if (reference !== undefined) visit(find(reference));
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = part[keyword];
      if (Array.isArray(parts)) for (const one of parts) visit(one);
    }
    for (const keyword of ['if', 'then', 'else']) visit(part[keyword]);
    if (isPlainObject(part['dependentSchemas'])) for (const one of Object.values(part['dependentSchemas'])) visit(one);
  };
  visit(schema);
  return [...names];
}
