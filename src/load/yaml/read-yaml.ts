import {
  constructFromEvents,
  CORE_SCHEMA,
  type Event,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
  mergeTag,
  parseEvents,
  YAML11_SCHEMA,
  YAMLException,
} from 'js-yaml';
import { ConfigError, type FilePlace } from '../diagnostics/diagnostic.ts';

const MAX_BYTES = 5_000_000;
const MAX_DEPTH = 60;
const MAX_EVENTS = 300_000;
const MAX_EXPANDED = 2_000_000;
const MAX_ALIASES = 1000;
const MAX_REPAIR_WORK = 20_000_000;

/** A parsed YAML file: its data, and the places of its parts. */
export interface YamlFile {
  readonly file: string;
  readonly value: unknown;
  /** Finds the place of the value at a path, or of its nearest ancestor. */
  locate(path: readonly (string | number)[], target?: 'key' | 'value'): FilePlace | undefined;
  /** Returns the data under YAML 1.1, where `yes`, `no`, `on` and `off` are booleans. */
  asYaml11(): unknown;
}

/** Parses YAML (or JSON, which is YAML). Throws a `ConfigError` that shows the place of a fault. */
export function readYaml(bytes: Uint8Array, file: string): YamlFile {
  const { source, events } = parse({ file, text: decode(bytes, file) });
  const value = construct(source, events, CORE_SCHEMA.withTags(mergeTag));
  return {
    file,
    value,
    locate: (path, target = 'value') => locateInEvents(source, events, { path, target }),
    asYaml11: () => construct(source, events, YAML11_SCHEMA),
  };
}

function decode(bytes: Uint8Array, file: string): string {
  if (bytes.length > MAX_BYTES) {
    const megabytes = (bytes.length / 1_000_000).toFixed(0);
    throw refuse(file, `is ${megabytes} MB; a config file may have ${MAX_BYTES / 1_000_000} MB. Split it with import.`);
  }
  if (bytes.includes(0)) throw refuse(file, 'is a binary file, not YAML.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse(file, 'is not UTF-8 text. Save it as UTF-8.');
  }
}

function parse(given: FileText): { readonly source: FileText; readonly events: Event[] } {
  let source = given;
  for (let work = 0; ; work += source.text.length) {
    try {
      const events = parseEvents(source.text, { filename: source.file, maxDepth: MAX_DEPTH });
      checkSize(source.file, events);
      return { source, events };
    } catch (error) {
      const repaired = work < MAX_REPAIR_WORK ? indentClosingBracket(source.text, error) : undefined;
      if (repaired === undefined) throw explainError(source, error);
      source = { file: source.file, text: repaired };
    }
  }
}

/**
 * Indents a closing bracket that is no deeper than its key. Other parsers, such as those of CLImax and ctx, accept it; the parser here
 * follows YAML strictly and reports its position.
 */
function indentClosingBracket(text: string, error: unknown): string | undefined {
  if (!(error instanceof YAMLException) || error.reason !== 'deficient indentation') return undefined;
  const at = error.mark?.position;
  if (at === undefined || !/^[\]}]$/.test(text.charAt(at))) return undefined;
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  return text.slice(lineStart, at).trim() === '' ? `${text.slice(0, lineStart)} ${text.slice(lineStart)}` : undefined;
}

function checkSize(file: string, events: readonly Event[]): void {
  if (events.length > MAX_EVENTS) throw refuse(file, `has more than ${MAX_EVENTS} values. Split it with import.`);
  let documents = 0;
  let aliases = 0;
  for (const event of events) {
    if (event.type === EVENT_DOCUMENT) documents += 1;
    else if (event.type === EVENT_ALIAS) aliases += 1;
  }
  if (documents > 1) throw refuse(file, `has ${documents} documents. Keep one; put the others in files of their own.`);
  if (aliases > MAX_ALIASES) throw refuse(file, `has ${aliases} aliases; ${MAX_ALIASES} are allowed.`);
}

function construct(source: FileText, events: Event[], schema: typeof CORE_SCHEMA): unknown {
  const options = { source: source.text, filename: source.file, schema, maxAliases: MAX_ALIASES };
  let value: unknown;
  try {
    [value] = constructFromEvents(events, options);
  } catch (error) {
    throw explainError(source, error);
  }
  const hasAliases = events.some(({ type }) => type === EVENT_ALIAS);
  if (hasAliases && measureExpanded(value, MAX_EXPANDED) > MAX_EXPANDED) {
    throw refuse(source.file, 'is too large when its aliases are expanded. Write the values out.');
  }
  return value;
}

/** Converts the parser's error to a `ConfigError` with its place. */
function explainError(source: FileText, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  if (!(error instanceof YAMLException)) return refuse(source.file, 'is nested too deeply.');
  const position = error.mark?.position;
  const place = position === undefined ? undefined : placeAt(source, position);
  return new ConfigError([
    { severity: 'error', file: source.file, path: [], message: explain(error.reason, source.file), place },
  ]);
}

function explain(reason: string, file: string): string {
  if (/duplicated? mapping key/i.test(reason))
    return 'this key appears twice in the same mapping. Remove or rename one.';
  if (/unknown.*tag/i.test(reason)) return `${reason}. Tags are not used in config files: remove it.`;
  return `is not valid ${/\.json$/i.test(file) ? 'JSON' : 'YAML'}: ${reason}.`;
}

function refuse(file: string, message: string): ConfigError {
  return new ConfigError([{ severity: 'error', file, path: [], message }]);
}

/** Counts the values of a tree, with each reference to a shared part as a copy. Stops a little above the limit. */
function measureExpanded(root: unknown, limit: number): number {
  const known = new Map<object, number>();
  const measure = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    // Counts as endless while being measured, so that a value that contains itself is refused.
    known.set(value, Infinity);
    let size = 1;
    for (const item of Object.values(value)) {
      size += measure(item);
      if (size > limit) break;
    }
    known.set(value, size);
    return size;
  };
  return measure(root);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the place of the value (or the key) at a path, or of its nearest ancestor. */
function locateInEvents(
  source: FileText,
  events: readonly Event[],
  { path, target }: { readonly path: readonly (string | number)[]; readonly target: 'key' | 'value' },
): FilePlace | undefined {
  let at = events[0]?.type === EVENT_DOCUMENT ? 1 : 0;
  let best = spanOf(events[at]);
  for (const [index, step] of path.entries()) {
    const found = enter(source.text, events, { from: at, step });
    if (found === undefined) break;
    at = found.value;
    const key = found.key === undefined ? undefined : spanOf(events[found.key]);
    const isWanted = target === 'key' && index === path.length - 1;
    // A key is more helpful than the first character of a mapping below it.
    best = isWanted || events[at]?.type !== EVENT_SCALAR ? (key ?? spanOf(events[at])) : spanOf(events[at]);
  }
  return best && placeAt(source, best.start, best.end);
}

/** Finds the child of a node at a step, by the events of its key and value; `undefined` when there is none. */
function enter(
  text: string,
  events: readonly Event[],
  { from, step }: { readonly from: number; readonly step: string | number },
): { readonly key: number | undefined; readonly value: number } | undefined {
  const isMapping = events[from]?.type === EVENT_MAPPING;
  if (!isMapping && events[from]?.type !== EVENT_SEQUENCE) return undefined;
  let at = from + 1;
  for (let index = 0; at < events.length && events[at]?.type !== EVENT_POP; index++) {
    const key = isMapping ? events[at] : undefined;
    const value = isMapping ? skipNode(events, at) : at;
    const name = key?.type === EVENT_SCALAR ? getScalarValue(text, key) : undefined;
    if (isMapping ? name === String(step) : index === step) return { key: isMapping ? at : undefined, value };
    at = skipNode(events, value);
  }
  return undefined;
}

/** Returns the index of the event after a whole node. */
export function skipNode(events: readonly Event[], from: number): number {
  let at = from;
  let depth = 0;
  do {
    const type = events[at]?.type;
    if (type === EVENT_MAPPING || type === EVENT_SEQUENCE) depth++;
    if (type === EVENT_POP) depth--;
    at++;
  } while (depth > 0 && at < events.length);
  return at;
}

function spanOf(event: Event | undefined): Span | undefined {
  switch (event?.type) {
    case EVENT_SCALAR:
      return { start: event.valueStart, end: event.valueEnd };
    case EVENT_MAPPING:
    case EVENT_SEQUENCE:
      return { start: event.start, end: event.start + 1 };
    case EVENT_ALIAS:
      return { start: event.anchorStart, end: event.anchorEnd };
    default:
      return undefined;
  }
}

interface FileText {
  readonly file: string;
  readonly text: string;
}

/** Returns the line and column of a position in the text. */
function placeAt({ text }: FileText, start: number, end: number = start + 1): FilePlace {
  const from = Math.min(Math.max(0, start), text.length);
  const lineStart = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', from);
  const lineEnd = next === -1 ? text.length : next;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < from; at = text.indexOf('\n', at + 1)) line++;
  return {
    line,
    column: from - lineStart + 1,
    length: Math.max(1, Math.min(end, lineEnd) - from),
    text: text.slice(lineStart, lineEnd).replace(/\r$/, ''),
  };
}
