import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeadAndTail } from './head-and-tail.ts';

function fill(limit: number, chunks: readonly Uint8Array[]) {
  const kept = createHeadAndTail(limit);
  for (const chunk of chunks) kept.add(Buffer.from(chunk));
  return kept;
}

describe('createHeadAndTail', () => {
  it('returns everything while it fits', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 30 }));
    fc.assert(
      fc.property(chunks, fc.nat(50), (chunks, more) => {
        const all = Buffer.concat(chunks);
        const kept = fill(all.length + more, chunks);
        expect(kept.size).toBe(all.length);
        expect(kept.whole().equals(all)).toBe(true);
      }),
    );
  });

  it('returns the first three quarters and the last quarter of the limit otherwise', () => {
    const letters = fc.uint8Array({ max: 127, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(letters), fc.nat(100), (chunks, limit) => {
        const all = Buffer.concat(chunks);
        fc.pre(all.length > limit);
        const { head, tail } = fill(limit, chunks).ends();
        const headSize = Math.ceil((limit * 3) / 4);
        expect(head.equals(all.subarray(0, headSize))).toBe(true);
        expect(tail.equals(all.subarray(all.length - (limit - headSize)))).toBe(true);
      }),
    );
  });

  it('cuts between characters', () => {
    const text = Buffer.from('é👩日本'.repeat(50));
    for (let limit = 1; limit < 80; limit++) {
      const { head, tail } = fill(limit, [text]).ends();
      expect(`${head.toString()}${tail.toString()}`).not.toContain('\uFFFD');
    }
  });
});
