import { describe, expect, it } from 'vitest';
import { fitJson } from './json-fit.ts';

/** A list of 100 values whose first one counts how often it is read. */
function createCounted(): { readonly list: unknown[]; readonly reads: () => number } {
  let reads = 0;
  const first = Object.defineProperty({}, 'value', { enumerable: true, get: () => ++reads });
  return { list: [first, ...Array.from({ length: 99 }, () => 1)], reads: () => reads };
}

describe('fitJson', () => {
  it('walks a large part that appears in many places once, and counts it at each', () => {
    const { list, reads } = createCounted();
    expect(fitJson(Array.from({ length: 1_000 }, () => list))).toBe('same');
    expect(reads()).toBe(1);
    expect(fitJson(Array.from({ length: 10_000 }, () => list))).toMatchObject({
      what: 'contains more than 1,000,000 values (keys and items)',
      isTooMuch: true,
    });
  });

  it('counts the levels of a part at each place', () => {
    const nest = (value: unknown, levels: number): unknown => (levels === 0 ? value : nest([value], levels - 1));
    const deep = nest(createCounted().list, 900);
    expect(fitJson([deep, nest(deep, 50)])).toBe('same');
    expect(fitJson([deep, nest(deep, 200)])).toMatchObject({ what: 'is nested too deeply' });
  });

  it('refuses a value that contains itself', () => {
    const list: unknown[] = [createCounted().list];
    list.push(list);
    expect(fitJson(list)).toMatchObject({ what: 'contains itself' });
  });
});
