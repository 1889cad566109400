const MAX_COMPARED = 20_000;
const MAX_LENGTH = 64;
const MAX_SHOWN = 128;
/** `_` and a number that no document reaches. */
const MAX_SUFFIX = 9;

/** Names with a greater distance are unrelated; long ones share more letters by chance. */
const CUT_OFF = 0.5;
const LONG = 6;
const CUT_OFF_LONG = 0.45;

/** Finds the known names most similar to `name`, best first. Shared parts count more than typing distance. */
export function nearestNames(name: string, known: Iterable<string>, limit = 3): string[] {
  const wanted = fold(name);
  const letters = countLetters(wanted);
  let best: { readonly name: string; readonly score: number }[] = [];
  let compared = 0;
  for (const candidate of known) {
    if (compared++ >= MAX_COMPARED) break;
    // With enough names, only equal or better ones matter.
    const worst = best.length < limit ? CUT_OFF : (best.at(-1)?.score ?? CUT_OFF);
    const score = distanceScore({ text: wanted, letters }, fold(candidate), worst);
    if (score > worst) continue;
    best = [...best, { name: candidate, score }]
      .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }
  return best.map((entry) => entry.name);
}

/** Returns the first free name of `name_2`, `name_3`, …, with at most 128 characters. */
export function freeName(name: string, isTaken: (candidate: string) => boolean, max = 128): string {
  for (let n = 2; ; n++) {
    const suffix = `_${n}`;
    const candidate = name.slice(0, max - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Creates a `freeName` for many names, which continues each search after the last one. */
export function createFreeNames(isTaken: (candidate: string) => boolean, max = 128): (name: string) => string {
  const next = new Map<string, number>();
  return (name) => {
    const cut = name.slice(0, max - MAX_SUFFIX);
    for (let n = next.get(cut) ?? 2; ; n++) {
      const candidate = `${cut}_${n}`;
      if (isTaken(candidate)) continue;
      next.set(cut, n + 1);
      return candidate;
    }
  };
}

/** Shortens a name for messages: no tool has a longer one. */
export function shortenName(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
}

function fold(name: string): string {
  return name
    .slice(0, 4 * MAX_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')
    .slice(0, MAX_LENGTH);
}

/** Rates names from 0 (equal) to 1 (unrelated). Skips details for names that cannot be below `worst`. */
function distanceScore(
  wanted: { readonly text: string; readonly letters: Uint8Array },
  candidate: string,
  worst: number,
): number {
  const { text } = wanted;
  if (text === candidate) return 0;
  const longer = Math.max(text.length, candidate.length);
  if (longer === 0) return 1;
  if (text.length >= 3 && candidate.length >= 3 && (candidate.includes(text) || text.includes(candidate))) {
    return 0.1 + 0.3 * (1 - Math.min(text.length, candidate.length) / longer);
  }
  const most = Math.floor(longer * (longer < LONG ? worst : Math.min(worst, CUT_OFF_LONG)));
  if (Math.abs(text.length - candidate.length) > most) return 1;
  // A lower bound for the edits, from letter counts without order.
  if (differentLetters(wanted, candidate) > most) return 1;
  const edits = editDistance(text, candidate, most);
  return edits > most ? 1 : edits / longer;
}

/** Counts each of `0` to `z`; folded names have no others. */
function countLetters(text: string): Uint8Array {
  const counts = new Uint8Array(128);
  for (let at = 0; at < text.length; at++) counts[text.charCodeAt(at)] = (counts[text.charCodeAt(at)] ?? 0) + 1;
  return counts;
}

const left = new Uint8Array(128);

/** Counts the letters that one of two texts has more of, whichever count is greater. */
function differentLetters(
  { text, letters }: { readonly text: string; readonly letters: Uint8Array },
  candidate: string,
): number {
  left.set(letters);
  let extra = 0;
  for (let at = 0; at < candidate.length; at++) {
    const code = candidate.charCodeAt(at);
    const count = left[code] ?? 0;
    if (count === 0) extra++;
    else left[code] = count - 1;
  }
  return Math.max(extra, text.length - (candidate.length - extra));
}

/** Longer words are not compared: people do not type them, and the time grows with the square of the length. */
const LONGEST = 64;
/** Rows shared by all comparisons, each one cell longer than the longest word. */
const [FIRST, SECOND, THIRD] = [new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1)];

/** Counts the letters added, removed, changed or swapped with a neighbour between two words. Returns `most + 1` if there are more. */
export function editDistance(one: string, other: string, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(one.length - other.length) > most || one.length > LONGEST || other.length > LONGEST) return tooMany;
  let [twoAgo, previous, current] = [FIRST, SECOND, THIRD];
  for (let column = 0; column <= other.length; column++) previous[column] = column;
  for (let row = 1; row <= one.length; row++) {
    const letter = one.charCodeAt(row - 1);
    let least = row;
    current[0] = row;
    for (let column = 1; column <= other.length; column++) {
      const isSame = letter === other.charCodeAt(column - 1);
      let cost = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      cost = Math.min(cost, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && letter === other.charCodeAt(column - 2)) {
        if (one.charCodeAt(row - 2) === other.charCodeAt(column - 1))
          cost = Math.min(cost, (twoAgo[column - 2] ?? 0) + 1);
      }
      current[column] = cost;
      if (cost < least) least = cost;
    }
    // Neighbouring rows differ by at most one, so no later row can be better, even with swaps.
    if (least > most) return tooMany;
    const free = twoAgo;
    twoAgo = previous;
    previous = current;
    current = free;
  }
  return Math.min(previous[other.length] ?? tooMany, tooMany);
}
