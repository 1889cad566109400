import {
  type Event,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
} from 'js-yaml';
import type { FilePlace } from '../diagnostics/diagnostic.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the place of the value (or the key) at a path, or of its nearest ancestor. */
export function locateInEvents(
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

export interface FileText {
  readonly file: string;
  readonly text: string;
}

/** Returns the line and column of a position in the text. */
export function placeAt({ text }: FileText, start: number, end: number = start + 1): FilePlace {
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
