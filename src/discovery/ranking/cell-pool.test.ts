import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellPool, type Cells } from './cell-pool.ts';

describe('CellPool', () => {
  it('gives each its own cells, whatever was taken and given back before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constant(-1)), { maxLength: 60 }),
        (steps) => {
          const pool = new CellPool();
          const taken: { readonly cells: Cells; readonly mark: number }[] = [];
          for (const [mark, count] of steps.entries()) {
            if (count < 0) {
              const given = taken.shift();
              if (given !== undefined) pool.give(given.cells);
              continue;
            }
            const cells = pool.take(count);
            expect(cells.size).toBeGreaterThanOrEqual(count);
            cells.whole.fill(mark, cells.start, cells.start + cells.size);
            taken.push({ cells, mark });
          }
          for (const { cells, mark } of taken) {
            const own = cells.whole.subarray(cells.start, cells.start + cells.size);
            expect(own).toHaveLength(cells.size);
            expect(own.every((cell) => cell === mark)).toBe(true);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('uses again what was given back', () => {
    const pool = new CellPool();
    const first = pool.take(100);
    pool.give(first);
    expect(pool.take(120)).toBe(first);
  });
});
