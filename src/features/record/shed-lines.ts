import type { JournalLine } from '../../platform/store/board-store.ts';

/** Keeps at most this many lines. Drops the oldest lines of the callers that have most, so that they do not displace those of others. */
export function shedLines(lines: readonly JournalLine[], most: number): JournalLine[] {
  const counts = new Map<string, number>();
  for (const { caller = '' } of lines) counts.set(caller, (counts.get(caller) ?? 0) + 1);
  const keptAt = (level: number): number =>
    [...counts.values()].reduce((sum, count) => sum + Math.min(count, level), 0);
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (keptAt(middle) <= most) low = middle;
    else high = middle - 1;
  }
  // There are more callers than lines.
  if (low === 0) return lines.slice(-most);
  const surplus = new Map(Array.from(counts, ([caller, count]) => [caller, count - low]));
  return lines.filter(({ caller = '' }) => {
    const left = surplus.get(caller) ?? 0;
    surplus.set(caller, left - 1);
    return left <= 0;
  });
}
