import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellPool, placeOf, roomFor } from './cell-pool.ts';

describe('CellPool', () => {
  it('allocates separate cells for each list, even after others were freed', () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constant(-1));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pool = new CellPool();
        const taken: { readonly address: number; readonly count: number; readonly mark: number }[] = [];
        const cellsOf = (address: number, count: number): Int32Array =>
          pool.pageOf(address).whole.subarray(placeOf(address), placeOf(address) + roomFor(count));
        for (const [mark, count] of steps.entries()) {
          if (count < 0) {
            const given = taken.shift();
            if (given !== undefined) pool.give(given.address, given.count);
            continue;
          }
          const address = pool.take(count);
          cellsOf(address, count).fill(mark);
          taken.push({ address, count, mark });
        }
        for (const { address, count, mark } of taken) {
          const own = cellsOf(address, count);
          expect(own.length).toBeGreaterThanOrEqual(count);
          expect(own.every((cell) => cell === mark)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('reuses freed cells', () => {
    const pool = new CellPool();
    const first = pool.take(100);
    pool.give(first, 100);
    expect(pool.take(120)).toBe(first);
  });
});
