/** Shorter words are not split. */
export const SHORTEST_GLUED = 7;
const MOST_PARTS = 5;
const COMMON = new Set(
  `get set put post add all any by of to in on for from with is id ids list find search check create update delete
  remove fetch make show live latest top new data info details number numbers name names count value values max min sum
  user users api convert calculate generate send read write open close start stop`.split(/\s+/),
);

/**
 * Splits a word without separators, such as `getcountriesbycontinent`, into common verbs and words the tool uses
 * elsewhere. Returns an empty list if that fails.
 */
export function segmentWord(word: string, known: ReadonlySet<string>): string[] {
  if (word.length < SHORTEST_GLUED || known.has(word)) return [];
  // The split with the fewest parts that ends at each position. The tool's own words are preferred.
  const best: ({ readonly cost: number; readonly parts: readonly string[] } | undefined)[] = [{ cost: 0, parts: [] }];
  for (let end = 2; end <= word.length; end++) {
    for (let start = 0; start <= end - 2; start++) {
      const before = best[start];
      if (before === undefined || before.parts.length === MOST_PARTS) continue;
      const part = word.slice(start, end);
      const isOwn = part.length > 2 && known.has(part);
      if (!isOwn && !COMMON.has(part)) continue;
      const cost = before.cost + (isOwn ? 3 : 4);
      if (cost < (best[end]?.cost ?? Infinity)) best[end] = { cost, parts: [...before.parts, part] };
    }
  }
  const parts = best[word.length]?.parts ?? [];
  return parts.length > 1 ? [...parts] : [];
}
