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
  wanted: { readonly path: readonly (string | number)[]; readonly target: 'key' | 'value' },
): FilePlace | undefined {
  const reader = new EventReader(source.text, events);
  const span = reader.find(wanted.path, wanted.target);
  return span === undefined ? undefined : placeAt(source, span.start, span.end);
}

/** Follows a path through the parser's events, skipping everything else. */
class EventReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  find(path: readonly (string | number)[], target: 'key' | 'value'): Span | undefined {
    if (this.#events[0]?.type === EVENT_DOCUMENT) this.#at = 1;
    let best = this.#span();
    for (const [index, step] of path.entries()) {
      const found = this.#enter(step);
      if (found === undefined) return best;
      best = target === 'key' && index === path.length - 1 ? (found.key ?? found.value) : found.value;
      // A key is more helpful than the first character of a mapping below it.
      if (found.key !== undefined && this.#events[this.#at]?.type !== EVENT_SCALAR) best = found.key;
    }
    return best;
  }

  /** Enters the child at a step; `undefined` when there is none. */
  #enter(step: string | number): { readonly key: Span | undefined; readonly value: Span | undefined } | undefined {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_MAPPING) {
      this.#at++;
      while (this.#events[this.#at]?.type !== EVENT_POP && this.#at < this.#events.length) {
        const key = this.#span();
        const name = this.#scalar();
        this.#skip();
        if (name === String(step)) return { key, value: this.#span() };
        this.#skip();
      }
      return undefined;
    }
    if (event?.type === EVENT_SEQUENCE && typeof step === 'number') {
      this.#at++;
      for (let index = 0; this.#events[this.#at]?.type !== EVENT_POP && this.#at < this.#events.length; index++) {
        if (index === step) return { key: undefined, value: this.#span() };
        this.#skip();
      }
    }
    return undefined;
  }

  /** Skips one whole node. */
  #skip(): void {
    let depth = 0;
    do {
      const type = this.#events[this.#at]?.type;
      if (type === EVENT_MAPPING || type === EVENT_SEQUENCE) depth++;
      if (type === EVENT_POP) depth--;
      this.#at++;
    } while (depth > 0 && this.#at < this.#events.length);
  }

  #scalar(): string | undefined {
    const event = this.#events[this.#at];
    return event?.type === EVENT_SCALAR ? getScalarValue(this.#text, event) : undefined;
  }

  #span(): Span | undefined {
    const event = this.#events[this.#at];
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
