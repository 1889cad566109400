import { parse } from 'smol-toml';
import { isPlainObject } from '../../../../tool/json.ts';
import { cutServers, type FileFormat, type Layout, type NamedServer, type Part, trimToParts } from './server-file.ts';

/** TOML, whose statements are changed in place. */
export const TOML_FORMAT: FileFormat = {
  parse,
  layout,
  format: (text, section, server) => formatTable(section, server).replaceAll('\n', eolOf(text)),
  // Tables need no section around them.
  // Tables need no section around them, so every file has a layout.
  create: (text, section, server) => `${text}${TOML_FORMAT.format(text, section, server)}`,
  without(text, section, names) {
    const rest = cutServers(text, layout(text, section), names);
    return trimToParts(rest, layout(rest, section));
  },
};

function layout(text: string, section: readonly string[]): Layout {
  const parts = readStatements(text).map((statement) => toPart(statement, section));
  const isBlank = text.trim() === '';
  return {
    parts,
    open: 0,
    close: text.length,
    hasCommas: false,
    gap: isBlank ? '' : eolOf(text).repeat(2),
    closing: isBlank ? eolOf(text) : '',
  };
}

/** A header or a key with its value, without the comments above it. */
interface Statement {
  readonly path: readonly string[];
  readonly isHeader: boolean;
  readonly start: number;
  /** The end of its last line, with the comment there. */
  readonly end: number;
}

function toPart({ path, isHeader, start, end }: Statement, section: readonly string[]): Part {
  const isInside = section.every((key, index) => path[index] === key);
  const server = isInside ? path[section.length] : undefined;
  return {
    key: `${isHeader ? '[]' : ''}${JSON.stringify(path)}`,
    server,
    start,
    end,
    behind: end,
    isReplaceable: isHeader,
  };
}

/** Splits a text into statements. It was parsed before, so it has no syntax errors. */
function readStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = skipBlank(text, 0); at < text.length;) {
    const { end, equals } = findEnd(text, at);
    const isHeader = text[at] === '[';
    const path = isHeader ? pathOf(text.slice(at, end)) : [...table, ...pathOf(`${text.slice(at, equals)} = 0`)];
    if (isHeader) table = path;
    statements.push({ path, isHeader, start: at, end });
    at = skipBlank(text, end);
  }
  return statements;
}

/** Returns the position of the next statement. */
function skipBlank(text: string, from: number): number {
  const blank = /(?:\s|#[^\n]*|\uFEFF)*/y;
  blank.lastIndex = from;
  return from + (blank.exec(text)?.[0].length ?? 0);
}

/** Finds the end of a statement and its first `=`. */
function findEnd(text: string, start: number): { readonly end: number; readonly equals: number } {
  let depth = 0;
  let equals = -1;
  let at = start;
  while (at < text.length) {
    const sign = text.charAt(at);
    if (sign === '"' || sign === "'") {
      at = skipString(text, at);
      continue;
    }
    if (sign === '#') {
      const line = text.indexOf('\n', at);
      at = line === -1 ? text.length : line;
      continue;
    }
    if (sign === '\n' && depth === 0) break;
    if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    else if (sign === '=' && equals === -1) equals = at;
    at += 1;
  }
  return { end: start + text.slice(start, at).trimEnd().length, equals };
}

/** Returns the position behind the string that starts here. */
function skipString(text: string, start: number): number {
  const quote = text.charAt(start);
  const step = (at: number): number => (quote === '"' && text[at] === '\\' ? 2 : 1);
  if (!text.startsWith(quote.repeat(3), start)) {
    let at = start + 1;
    while (at < text.length && text[at] !== quote) at += step(at);
    return at + 1;
  }
  let at = start + 3;
  while (at < text.length && !text.startsWith(quote.repeat(3), at)) at += step(at);
  at += 3;
  // Up to two quotes of the text may stand before the closing ones.
  while (text[at] === quote) at += 1;
  return at;
}

/** Reads the keys of a header or of one value. */
function pathOf(statement: string): string[] {
  const keys: string[] = [];
  let value: unknown = parse(statement);
  for (;;) {
    // A table in a list of tables.
    if (Array.isArray(value)) [value] = value;
    const [key] = isPlainObject(value) ? Object.keys(value) : [];
    if (key === undefined || !isPlainObject(value)) return keys;
    keys.push(key);
    value = value[key];
  }
}

/** Formats a server as a table, with objects in it as inline tables. */
export function formatTable(section: readonly string[], { name, value }: NamedServer): string {
  const entries = Object.entries(isPlainObject(value) ? value : {});
  const header = [...section, name].map(tomlKey).join('.');
  return [`[${header}]`, ...entries.map(([key, item]) => `${tomlKey(key)} = ${formatValue(item)}`)].join('\n');
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${tomlKey(key)} = ${formatValue(item)}`)
    .join(', ')} }`;
}

/** Quotes a TOML key if necessary. */
function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
