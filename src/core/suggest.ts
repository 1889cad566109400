const MAX_COMPARED = 20_000;

/** The known names most like `name`, best first: shared parts count before typing distance. */
export function nearestNames(name: string, known: Iterable<string>, limit = 3): string[] {
  const wanted = fold(name);
  const scored: { name: string; score: number }[] = [];
  let compared = 0;
  for (const candidate of known) {
    if (compared++ >= MAX_COMPARED) break;
    const score = distanceScore(wanted, fold(candidate));
    if (score <= 0.5) scored.push({ name: candidate, score });
  }
  return scored
    .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map((entry) => entry.name);
}

/** `name_2`, `name_3`, …: the first that is not taken. */
export function freeName(name: string, isTaken: (candidate: string) => boolean): string {
  for (let n = 2; ; n++) {
    const suffix = `_${n}`;
    const candidate = name.slice(0, 128 - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

function fold(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')
    .slice(0, 64);
}

/** 0 for equal names up to 1 for unrelated ones. */
function distanceScore(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0;
  const longer = Math.max(wanted.length, candidate.length);
  if (longer === 0) return 1;
  if (wanted.length >= 3 && candidate.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate))) {
    return 0.1 + 0.3 * (1 - Math.min(wanted.length, candidate.length) / longer);
  }
  // Two names whose lengths differ this much cannot score under the cut-off.
  if (Math.abs(wanted.length - candidate.length) > longer * 0.5) return 1;
  return editDistance(wanted, candidate) / longer;
}

/** Edits between two words, a swap of neighbours counting as one. */
function editDistance(a: string, b: string): number {
  let twoAgo: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (twoAgo[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    twoAgo = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
