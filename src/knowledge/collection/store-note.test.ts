import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openKnowledge } from '../open-knowledge.ts';
import type { Knowledge } from '../knowledge.ts';

function open(): Knowledge {
  const data = mkdtempSync(join(tmpdir(), 'pegboard-turns-'));
  const knowledge = openKnowledge({ data, collections: { notes: {} } });
  onTestFinished(async () => {
    await knowledge.close();
    rmSync(data, { recursive: true, force: true });
  });
  return knowledge;
}

/** Creates a note of nearly the maximal length, with few repeated words. */
function longNote(): string {
  const words: string[] = [];
  for (let number = 0, length = 0; length < 900_000; number++) {
    const word = `w${(number * 2_654_435_761).toString(36)}`;
    words.push(number % 20 === 19 ? `${word}\n\n` : word);
    length += word.length + 2;
  }
  return words.join(' ');
}

/** Counts the turns of other work before a promise settles. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const over = new AbortController();
  const settled = work.finally(() => over.abort());
  while (!over.signal.aborted) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  await settled;
  return turns;
}

describe('a long note', () => {
  it('is stored, and stored again, while other work gets its turns', { timeout: 180_000 }, async () => {
    const notes = open().collection('notes');
    const content = longNote();
    expect(await countTurns(notes.store({ content }))).toBeGreaterThan(15);
    expect(await countTurns(notes.store({ content, tags: ['again'] }))).toBeGreaterThan(15);
  });

  it('does not block searches, which see the state before it', { timeout: 180_000 }, async () => {
    const notes = open().collection('notes');
    await notes.store({ content: 'Flour is on the third shelf.' });
    const over = new AbortController();
    const storing = notes.store({ content: `${longNote()} flour` }).finally(() => over.abort());
    const found: number[] = [];
    while (!over.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      const { hits } = await notes.search('flour');
      if (!over.signal.aborted) found.push(hits.length);
    }
    await storing;
    expect(found.length).toBeGreaterThan(10);
    expect(new Set(found)).toEqual(new Set([1]));
    expect((await notes.search('flour')).hits).toHaveLength(2);
  });
});
