/** Something to measure, again and again. */
export interface Subject {
  readonly name: string;
  /** Does the work once and gives what one unit of it cost. */
  measure(): number | Promise<number>;
}

/** The cost of each subject, one number a round. */
export type Timings = ReadonlyMap<string, readonly number[]>;

/**
 * Measures all subjects in every round, in a new order each time.
 *
 * Other work on the machine slows all of them down alike, so the ratios of one round stay comparable.
 */
export async function measureInRounds(subjects: readonly Subject[], rounds: number): Promise<Timings> {
  const timings = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of shuffle(subjects)) timings.get(subject.name)?.push(await subject.measure());
  }
  return timings;
}

/** The rounds of several processes as if one had run them all. */
export function joinTimings(runs: readonly Timings[]): Timings {
  const names = new Set(runs.flatMap((run) => [...run.keys()]));
  return new Map([...names].map((name) => [name, runs.flatMap((run) => run.get(name) ?? [])]));
}

/** The median of a subject's numbers. */
export function medianOf(timings: Timings, name: string): number {
  return median(numbersOf(timings, name));
}

/** The median of `name` divided by `base`, both from the same round. */
export function ratioOf(timings: Timings, name: string, base: string): number {
  const others = numbersOf(timings, base);
  return median(numbersOf(timings, name).map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** The median of what `name` took more than `base`, both from the same round. */
export function differenceOf(timings: Timings, name: string, base: string): number {
  const others = numbersOf(timings, base);
  return median(numbersOf(timings, name).map((value, round) => value - (others[round] ?? Number.NaN)));
}

/** The middle one of some numbers. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Starts a measurement with a clean heap, where Node was started with `--expose-gc`. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

function numbersOf(timings: Timings, name: string): readonly number[] {
  const numbers = timings.get(name);
  if (numbers === undefined) {
    throw new Error(`Nothing was measured under "${name}". Use one of: ${[...timings.keys()].join(', ')}.`);
  }
  return numbers;
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
