import { byteCount } from '../../../tool/byte-count.ts';
import type { ToolContent } from '../../../tool/tool-result.ts';
import { isObject } from '../transports/wire-message.ts';

/** Bytes that a result carries, as text: what each is called instead. */
type CarriedBytes = ReadonlyMap<string, string>;

/** Shorter ones do no harm as text. */
const LEAST = 256;
const MAX_DEPTH = 20;
/** All base64 that stands in one piece. */
const RUNS = /[\w+/-]+={0,2}/g;

/** The pictures, sounds and files in a result's pieces and in its data. */
export function carriedBytes(blocks: readonly ToolContent[], data: unknown): CarriedBytes {
  const found = new Map<string, string>();
  const look = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
    if (isObject(value)) {
      const { mimeType, data: own, blob } = value;
      const base64 = typeof blob === 'string' ? blob : typeof mimeType === 'string' ? own : undefined;
      if (typeof base64 === 'string' && base64.length >= LEAST) {
        const name = `[${typeof mimeType === 'string' ? mimeType : 'bytes'}, ${byteCount(base64).toLocaleString('en-US')} bytes]`;
        // Some servers give a whole data URL, or lines.
        for (const [run] of base64.matchAll(RUNS)) if (run.length >= LEAST) found.set(run, name);
      }
    }
    for (const item of Object.values(value)) look(item, depth + 1);
  };
  for (const block of blocks) if (block.type !== 'text') look(block, 0);
  look(data, 0);
  return found;
}

/**
 * A text in which these bytes are named, not spelt out: they are in the result already. It is read once, as a server may send
 * many thousands of pictures with a text of many megabytes.
 */
export function withoutBytes(text: string, carried: CarriedBytes): string {
  if (carried.size === 0) return text;
  return text.replaceAll(RUNS, (run) => (run.length < LEAST ? run : (carried.get(run) ?? run)));
}
