import { stripEscapes } from '../../../platform/outputs/strip-escapes.ts';

/** The last lines of a stream, in bounded memory. */
export interface TextTail {
  add(chunk: Buffer | string): void;
  /** The newest lines, oldest first, without terminal sequences. */
  lines(count?: number): string[];
  /** Forgets everything: another process begins. */
  clear(): void;
}

const MAX_LINE = 2000;

/** Keeps the last `limit` characters. */
export function createTextTail(limit = 16_384): TextTail {
  let kept = '';
  return {
    add(chunk) {
      const text = typeof chunk === 'string' ? chunk : chunk.subarray(-limit).toString('utf8');
      kept = (kept + text).slice(-limit);
    },
    clear: () => {
      kept = '';
    },
    lines: (count = 10) =>
      stripEscapes(kept)
        .split(/\r?\n/)
        .map((line) => line.trimEnd().slice(0, MAX_LINE))
        .filter((line) => line !== '')
        .slice(-count),
  };
}
