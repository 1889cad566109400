import type { IndexedTool } from '../indexed-tool.ts';
import { splitWords } from '../../text/split-words.ts';
import type { Found } from './tool-ranker.ts';

const ALIKE = 0.9;
const COMPARED = 30;

/** A found tool with its duplicates from other sources. */
export interface Folded extends Found {
  readonly duplicates: string[];
}

/** Folds tools of different sources with nearly the same name and description into the better one. */
export function foldDuplicates(found: readonly Found[]): Folded[] {
  const kept: Folded[] = [];
  const words = new Map<IndexedTool, ReadonlySet<string>>();
  const wordsOf = (tool: IndexedTool): ReadonlySet<string> => {
    const known = words.get(tool) ?? readOwnWords(tool);
    words.set(tool, known);
    return known;
  };
  for (const [place, one] of found.entries()) {
    const same =
      place < COMPARED
        ? kept.find(
            ({ indexed }) => mayBeAlike(indexed, one.indexed) && areAlike(wordsOf(indexed), wordsOf(one.indexed)),
          )
        : undefined;
    if (same === undefined) kept.push({ ...one, duplicates: [] });
    else same.duplicates.push(one.indexed.name);
  }
  return kept;
}

/** Excludes most pairs cheaply. */
function mayBeAlike(one: IndexedTool, other: IndexedTool): boolean {
  const lengths = [one.tool.metadata.description.length, other.tool.metadata.description.length];
  return one.source !== other.source && Math.min(...lengths) > 0.8 * Math.max(...lengths);
}

/** Reads the words of a tool without those of its source: names often begin with it, which says nothing about the tool. */
function readOwnWords({ name, source, tool }: IndexedTool): Set<string> {
  const sourceWords = new Set(splitWords(source));
  const own = splitWords(name).filter((word) => !sourceWords.has(word));
  return new Set([...own, ...splitWords(tool.metadata.description.slice(0, 1_000))]);
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (Math.min(one.size, other.size) < 3) return false;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared / (one.size + other.size - shared) >= ALIKE;
}
