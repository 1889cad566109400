import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createOutputStore } from './output-store.ts';
import { temporaryFolder } from '../process/spawners.test-helper.ts';

const store = createOutputStore({ folder: join(temporaryFolder(), 'outputs') });
afterAll(() => store.close());

/** About 5 MiB: several parts of the index, most of them without a match. */
const LINES = Array.from({ length: 60_000 }, (_, index) => `${index} ${'filler '.repeat(11)}`);

async function keep(lines: readonly string[]): Promise<string> {
  const writer = store.create();
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  for (let at = 0; at < bytes.length; at += 100_000) {
    if (!writer.write(bytes.subarray(at, at + 100_000))) await writer.drained();
  }
  return (await writer.end())?.id ?? '';
}

/** Finds the expected matches in the obvious way. */
function findPlainly(
  lines: readonly string[],
  { text, limit, context }: { text: string; limit: number; context: number },
) {
  const offsets = lines.flatMap((line, offset) => (line.includes(text) ? [offset] : []));
  const matches = offsets.slice(0, limit).map((offset) => ({
    offset,
    line: lines[offset],
    before: lines.slice(Math.max(0, offset - context), offset),
    after: lines.slice(offset + 1, offset + 1 + context),
  }));
  return { matches, hasMore: offsets.length > limit };
}

describe('searchLines', () => {
  it('finds in a large output what a plain search finds, literally and by pattern', async () => {
    const places = fc.array(fc.nat(LINES.length - 1), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 1, max: 5 }), fc.nat(3), async (places, limit, context) => {
        const lines = [...LINES];
        for (const place of places) lines[place] = `${place} needle`;
        const id = await keep(lines);
        const expected = findPlainly(lines, { text: 'needle', limit, context });
        expect(await store.search(id, { text: 'needle', limit, context })).toEqual(expected);
        const pattern = (line: string): boolean => line.endsWith('needle');
        expect(await store.search(id, { pattern, limit, context })).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });
});
