import { byteCount } from '../../../tool/byte-count.ts';
import type { ToolContent } from '../../../tool/tool-result.ts';
import { isObject } from '../transports/wire-message.ts';

/** Bytes that a result carries in base64. */
interface CarriedBytes {
  readonly base64: string;
  readonly mimeType: string;
}

/** Shorter ones do no harm as text. */
const LEAST = 256;
const MAX_DEPTH = 20;

/** The pictures, sounds and files in a result's pieces and in its data. */
export function carriedBytes(blocks: readonly ToolContent[], data: unknown): readonly CarriedBytes[] {
  const found = new Map<string, CarriedBytes>();
  const look = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
    if (isObject(value)) {
      const { mimeType, data: own, blob } = value;
      const base64 = typeof blob === 'string' ? blob : typeof mimeType === 'string' ? own : undefined;
      if (typeof base64 === 'string' && base64.length >= LEAST)
        found.set(base64, { base64, mimeType: typeof mimeType === 'string' ? mimeType : 'bytes' });
    }
    for (const item of Object.values(value)) look(item, depth + 1);
  };
  for (const block of blocks) if (block.type !== 'text') look(block, 0);
  look(data, 0);
  return [...found.values()];
}

/** A text in which these bytes are named, not spelt out: they are in the result already. */
export function withoutBytes(text: string, carried: readonly CarriedBytes[]): string {
  let shown = text;
  for (const { base64, mimeType } of carried) {
    const name = `[${mimeType}, ${byteCount(base64).toLocaleString('en-US')} bytes]`;
    if (shown.length >= base64.length) shown = shown.replaceAll(base64, () => name);
  }
  return shown;
}
