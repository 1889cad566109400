import { splitWords } from '../../text/split-words.ts';
import { isNote } from '../collection/note.ts';
import type { Passage } from './merge-neighbours.ts';

/** Consecutive words that are compared. */
const SHINGLE = 3;
/** The share of common shingles above which two texts count as the same. */
const ALIKE = 0.95;
/** The prime of the FNV hash. */
const MIX = 0x01000193;

/** Removes passages that nearly repeat a better one, which then lists their places. */
export function foldDuplicates(passages: readonly Passage[]): Passage[] {
  const kept: { passage: Passage; shingles: ReadonlySet<number> }[] = [];
  for (const passage of passages) {
    const shingles = toShingles(passage.text);
    // A note that repeats a document with one word changed must not replace it.
    const isStored = isNoted(passage);
    const twin = kept.find((other) => isNoted(other.passage) === isStored && areAlike(other.shingles, shingles));
    if (twin === undefined) {
      kept.push({ passage, shingles });
      continue;
    }
    const places = passage.chunkIds.map((chunkId) => ({ chunkId, sourcePath: passage.sourcePath }));
    twin.passage = { ...twin.passage, duplicates: [...twin.passage.duplicates, ...places] };
  }
  return kept.map(({ passage }) => passage);
}

function isNoted({ documentId, sourcePath }: Passage): boolean {
  return isNote({ id: documentId, sourcePath });
}

/** Hashes every few consecutive words; two different ones collide about once in four billion. */
function toShingles(text: string): Set<number> {
  const words = splitWords(text).map(toNumber);
  const shingles = new Set<number>();
  for (let place = 0; place < Math.max(1, words.length - SHINGLE + 1); place++) {
    let shingle = 0;
    for (let offset = 0; offset < SHINGLE; offset++) shingle = Math.imul(shingle, MIX) + (words[place + offset] ?? 0);
    shingles.add(shingle | 0);
  }
  return shingles;
}

function toNumber(word: string): number {
  let number = word.length;
  for (let place = 0; place < word.length; place++) number = Math.imul(number ^ word.charCodeAt(place), MIX);
  return number;
}

function areAlike(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  if (small.size < ALIKE * large.size) return false;
  let common = 0;
  for (const shingle of small) if (large.has(shingle)) common++;
  return common >= ALIKE * (left.size + right.size - common);
}
