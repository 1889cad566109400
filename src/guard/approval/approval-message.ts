import type { ApprovalRequest } from '../../tool/calls/approval.ts';
import { quoteText, revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { isPlainObject } from '../../tool/json.ts';
import { createReferenceFinder, referenceOf } from '../../tool/parameters/schema-node.ts';

/** The call that a person is asked about. */
export type AskedCall = Pick<ApprovalRequest, 'tool' | 'risk' | 'raisedBy' | 'input' | 'declared' | 'template'>;

/** Maximum characters of arguments in one question: no channel can show more in a readable way. */
const MAX_ARGUMENTS = 20_000;
/** Longer values would interrupt the tool's own text; they are listed below it. */
const MAX_WITHIN = 200;
/** Minimum characters shown of each argument; with too many arguments, the last ones are only counted. */
const LEAST = 120;

/**
 * Builds the question for a person: the call with each argument complete, in quotes, on a line of its own.
 *
 * A tool's own text comes first and hides nothing: arguments that it does not mention are listed below. If the arguments exceed `limit`
 * characters, the question says what is omitted, at the top and at each gap.
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

/** Fills values into a tool's own text. Also returns the names of the arguments that appear in it. */
export function fillTemplate(
  template: string,
  input: Readonly<Record<string, unknown>>,
): { readonly words: string; readonly mentioned: ReadonlySet<string> } {
  const mentioned = new Set<string>();
  // Replaced once, so that braces in a value stay as they are. Quotes around a placeholder are dropped, because values have their own.
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
    'The inspector shows the arguments in full. Deny the call unless you know what they are.';
  return [question, warning, ...lines, warning].join('\n');
}

/** Shortens long values and keeps short ones complete. Shortened values keep both ends. */
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

/** Returns the maximum length of each value so that all of them fit; long values get the space that short ones do not need. */
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

/** Formats a complete value for people, with hidden characters in its texts and keys made visible. */
export function showArgument(value: unknown): unknown {
  if (typeof value === 'string') return revealHidden(value);
  if (Array.isArray(value)) return value.map(showArgument);
  if (!isPlainObject(value)) return value;
  const shown = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    let name = revealHidden(key);
    // A key that looks like another one must not replace it.
    while (shown.has(name)) name = quoteText(name);
    shown.set(name, showArgument(item));
  }
  return Object.fromEntries(shown);
}

/** An argument in a question: its name, and its complete value on one line, with texts in quotes. */
interface WrittenArgument {
  /** The name, marked if the tool's schema does not declare it. */
  readonly label: string;
  readonly text: string;
}

/** Formats arguments for a question: declared ones first, in the order of the schema, then the others, marked as such. */
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

/** Formats a value as JSON on one line, with hidden characters visible. Includes values that JSON would omit. */
export function writeValue(value: unknown): string {
  try {
    return revealHidden(JSON.stringify(value, showRest) ?? 'undefined');
  } catch {
    return '(A VALUE THAT CANNOT BE SHOWN)';
  }
}

/** Code may pass values that JSON cannot represent, or empty ones. */
function showRest(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}

function writeName(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : quoteText(name);
}

/** Lists the argument names that a schema declares, in its order; those of its parts and alternatives come last. */
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
