const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration in a config file: seconds as a number, or a text with a unit. */
export function parseDuration(value: number | string): number {
  if (typeof value === 'number') return Math.round(value * 1000);
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(value);
  // The schema lets only such texts through.
  return match === null ? 0 : Math.round(Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000));
}
