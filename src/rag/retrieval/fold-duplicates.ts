import { splitWords } from '../lexical/split-words.ts';
import type { Passage } from './merge-neighbours.ts';

/** Words in a row that are compared. */
const SHINGLE = 3;
/** Texts that have so many of their rows of words in common say the same. */
const ALIKE = 0.95;

/** Leaves out passages that are all but the same as a better one, which then names where they stand. */
export function foldDuplicates(passages: readonly Passage[]): Passage[] {
  const kept: { passage: Passage; shingles: ReadonlySet<string> }[] = [];
  for (const passage of passages) {
    const shingles = toShingles(passage.text);
    const twin = kept.find((other) => areAlike(other.shingles, shingles));
    if (twin === undefined) {
      kept.push({ passage, shingles });
      continue;
    }
    const places = passage.chunkIds.map((chunkId) => ({ chunkId, sourcePath: passage.sourcePath }));
    twin.passage = { ...twin.passage, duplicates: [...twin.passage.duplicates, ...places] };
  }
  return kept.map(({ passage }) => passage);
}

function toShingles(text: string): Set<string> {
  const words = splitWords(text);
  const shingles = new Set<string>();
  for (let place = 0; place < Math.max(1, words.length - SHINGLE + 1); place++) {
    shingles.add(words.slice(place, place + SHINGLE).join(' '));
  }
  return shingles;
}

function areAlike(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  if (small.size < ALIKE * large.size) return false;
  let common = 0;
  for (const shingle of small) if (large.has(shingle)) common++;
  return common >= ALIKE * (left.size + right.size - common);
}
