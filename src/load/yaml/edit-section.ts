import { isDeepStrictEqual } from 'node:util';
import {
  dump,
  type Event,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
  parseEvents,
} from 'js-yaml';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { readYaml, skipNode } from './read-yaml.ts';

/** A change of one top-level section of a config file. */
export type SectionChange =
  /** Entries to set in a mapping, replacing existing ones. */
  | { readonly section: string; readonly set: Readonly<Record<string, unknown>> }
  /** The key to remove from a mapping. */
  | { readonly section: string; readonly remove: string }
  /** Items to append to a list: the section itself, or the list under one of its keys. */
  | { readonly section: string; readonly under?: string | undefined; readonly append: readonly unknown[] };

/** The place of a key of a block mapping. */
interface Place {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** The position after the key and its colon. */
  readonly end: number;
  /** The first event of its value. */
  readonly value: number;
}

/**
 * Changes one section of a YAML or JSON text and keeps every other line, including comments.
 *
 * Parses the result again: if anything but the section changed, or the text cannot be changed in place, it throws `invalid_config` with the
 * lines to add by hand.
 */
export function editSection(text: string, file: string, change: SectionChange): string {
  const { section } = change;
  const before = text.trim() === '' ? undefined : readYaml(Buffer.from(text), file).value;
  const data = before ?? {};
  if (!isPlainObject(data)) throw refuse(file, change, 'is not a mapping');
  const value = changeValue(data[section], change);
  if (value === undefined) throw refuse(file, change, `has a ${section} of another shape`);
  const wanted = { ...data, [section]: value };
  const edited = isJson(text) ? toJson(text, wanted) : editBlock(text, change, value);
  if (edited !== undefined && isSame(edited, file, wanted)) return edited;
  throw refuse(file, change, 'is written in a way that cannot be changed in place');
}

/** Returns the new value of the section; `undefined` when the change does not fit the existing one. */
function changeValue(before: unknown, change: SectionChange): unknown {
  if ('append' in change && change.under !== undefined) {
    const entries = before ?? {};
    if (!isPlainObject(entries)) return undefined;
    const list = changeValue(entries[change.under], { section: change.under, append: change.append });
    return list === undefined ? undefined : { ...entries, [change.under]: list };
  }
  if ('append' in change) {
    if (before === undefined || before === null) return change.append;
    // A single text may stand for a list with one item, as in `import: a.yaml`.
    return Array.isArray(before) || typeof before === 'string' ? [before, change.append].flat() : undefined;
  }
  const entries = before ?? {};
  if (!isPlainObject(entries)) return undefined;
  if ('set' in change) return { ...entries, ...change.set };
  const { [change.remove]: _, ...rest } = entries;
  return rest;
}

function isSame(text: string, file: string, wanted: unknown): boolean {
  try {
    // Compares plain data, ignoring key order.
    return isDeepStrictEqual(toPlain(readYaml(Buffer.from(text), file).value), toPlain(wanted));
  } catch {
    return false;
  }
}

function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{');
}

function toJson(text: string, wanted: unknown): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    // Comments would be lost.
    return undefined;
  }
  const indent = /^\{\r?\n([ \t]+)/.exec(text.trimStart())?.[1] ?? '  ';
  return `${JSON.stringify(wanted, undefined, indent)}\n`;
}

function editBlock(text: string, change: SectionChange, value: unknown): string | undefined {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const join = (parts: readonly string[]): string => parts.join(eol);
  let events: Event[];
  try {
    events = parseEvents(text, {});
  } catch {
    // Only the more lenient reader of config files accepts it.
    return undefined;
  }
  const keys = readKeys(text, events, events[0]?.type === EVENT_DOCUMENT ? 1 : 0);
  const at = keys.findIndex(({ name }) => name === change.section);
  const key = keys[at];
  if (key === undefined) {
    const gap = text.trim() === '' ? [] : [''];
    while (lines.at(-1)?.trim() === '') lines.pop();
    return join([...lines, ...gap, `${change.section}:`, ...toLines(value, 2), '']);
  }
  // The next section, or the end of the text.
  const next = keys[at + 1]?.line ?? lines.length;
  const first = events[key.value];
  const isBlock = (first?.type === EVENT_MAPPING || first?.type === EVENT_SEQUENCE) && first.style === BLOCK;
  if (!isBlock) return rewrite(lines, { key, next, text, value })?.join(eol);
  const { column } = positionOf(text, first.start);
  const end = stepBack(lines, next, column);
  if ('append' in change && change.under !== undefined) {
    const children = readKeys(text, events, key.value);
    const child = children.findIndex(({ name }) => name === change.under);
    const list = events[children[child]?.value ?? -1];
    if (list?.type === EVENT_SEQUENCE && list.style === BLOCK) {
      const { column: inner } = positionOf(text, list.start);
      const behind = stepBack(lines, children[child + 1]?.line ?? end, inner);
      return join([...lines.slice(0, behind), ...toLines(change.append, inner, 1), ...lines.slice(behind)]);
    }
    // A new list, or one in flow style, is rewritten.
    const whole = isPlainObject(value) ? value[change.under] : undefined;
    return editBlock(text, { section: change.section, set: { [change.under]: whole } }, value);
  }
  if ('append' in change) return join([...lines.slice(0, end), ...toLines(change.append, column), ...lines.slice(end)]);
  const children = readKeys(text, events, key.value);
  const named = new Set('set' in change ? Object.keys(change.set) : [change.remove]);
  const added = 'set' in change ? toLines(change.set, column) : [];
  const kept = lines.flatMap((line, index) => {
    const child = children.findLast((candidate) => candidate.line <= index);
    const isInside = index > key.line && index < end && child !== undefined && named.has(child.name);
    if (!isInside) return [{ line, index }];
    const following = children[children.indexOf(child) + 1];
    // Lines above the next entry belong to that one.
    return index < stepBack(lines, following?.line ?? end, column + 1) ? [] : [{ line, index }];
  });
  const cut = kept.findIndex(({ index }) => index >= end);
  const texts = kept.map(({ line }) => line);
  texts.splice(cut === -1 ? texts.length : cut, 0, ...added);
  if (isPlainObject(value) && Object.keys(value).length === 0) {
    const [line, colon] = [texts[key.line] ?? '', columnBehind(text, key)];
    texts[key.line] = `${line.slice(0, colon)} {}${line.slice(colon)}`;
  }
  return join(texts);
}

const BLOCK = 1;
const DUMP = { noRefs: true, lineWidth: 120 };

/** Returns the column after the colon of a key. */
function columnBehind(text: string, { end }: Place): number {
  return positionOf(text, end).column;
}

/** Rewrites a section that is empty or in flow style; `undefined` when a comment would be lost. */
function rewrite(
  lines: readonly string[],
  {
    key,
    next,
    text,
    value,
  }: { readonly key: Place; readonly next: number; readonly text: string; readonly value: unknown },
): readonly string[] | undefined {
  const end = stepBack(lines, next, 1);
  const from = columnBehind(text, key);
  const line = lines[key.line] ?? '';
  const rest = [line.slice(from), ...lines.slice(key.line + 1, end)].join('\n').trim();
  if (rest.includes('#') && !rest.startsWith('#')) return undefined;
  const isEmpty = isPlainObject(value) && Object.keys(value).length === 0;
  const comments = rest.startsWith('#') ? ` ${rest}`.split('\n') : [''];
  const head = `${line.slice(0, from)}${isEmpty ? ' {}' : ''}${comments[0] ?? ''}`;
  const body = isEmpty ? [] : toLines(value, 2);
  return [...lines.slice(0, key.line), head, ...comments.slice(1), ...body, ...lines.slice(end)];
}

/** Returns the line after the last one of a part that ends before `line`. Less indented blanks and comments belong to the next part. */
function stepBack(lines: readonly string[], line: number, column: number): number {
  let end = line;
  while (end > 0) {
    const above = lines[end - 1] ?? '';
    const indent = above.search(/\S/);
    const isFurtherOut = above.trimStart().startsWith('#') && indent < Math.max(1, column);
    if (indent !== -1 && !isFurtherOut) break;
    end--;
  }
  return end;
}

function readKeys(text: string, events: readonly Event[], from: number): Place[] {
  if (events[from]?.type !== EVENT_MAPPING) return [];
  const places: Place[] = [];
  for (
    let at = from + 1;
    at < events.length && events[at]?.type !== EVENT_POP;
    at = skipNode(events, skipNode(events, at))
  ) {
    const key = events[at];
    if (key?.type !== EVENT_SCALAR) continue;
    const quotes = text.charAt(key.valueEnd) === '"' || text.charAt(key.valueEnd) === "'" ? 1 : 0;
    const end = text.indexOf(':', key.valueEnd) + 1;
    const position = positionOf(text, key.valueStart - quotes);
    places.push({ name: getScalarValue(text, key), ...position, end, value: skipNode(events, at) });
  }
  return places;
}

function positionOf(text: string, position: number): { readonly line: number; readonly column: number } {
  const above = text.slice(0, position).split('\n');
  return { line: above.length - 1, column: above.at(-1)?.length ?? 0 };
}

function toLines(value: unknown, indent: number, flowLevel = Array.isArray(value) ? -1 : 2): string[] {
  const text = dump(value, { ...DUMP, flowLevel }).trimEnd();
  return text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`));
}

function refuse(file: string, change: SectionChange, why: string): ToolError {
  const { section } = change;
  const hint =
    'remove' in change
      ? `Remove ${section}.${change.remove} from it yourself.`
      : `Put this into it yourself:\n${dump(
          {
            [section]:
              'set' in change
                ? change.set
                : change.under === undefined
                  ? change.append
                  : { [change.under]: change.append },
          },
          DUMP,
        ).trimEnd()}`;
  return new ToolError({ code: 'invalid_config', message: `${file} ${why}, so it was not changed. ${hint}` });
}
