const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Converts a duration to milliseconds: seconds as a number, or a string with a unit. */
export function parseDuration(value: number | string): number {
  if (typeof value === 'number') return Math.round(value * 1000);
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(value);
  // The schema has checked the format.
  return match === null ? 0 : Math.round(Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000));
}

const SIZES: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Converts a size to bytes: a number, or a string with a unit. */
export function parseSize(value: number | string): number {
  if (typeof value === 'number') return value;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*(KB|MB|GB)$/.exec(value) ?? [];
  // The schema has checked the format.
  return Math.round(Number(amount) * (SIZES[unit] ?? 1));
}

/** Converts values to strings, for environment variables and headers. */
export function toTexts(values: Readonly<Record<string, string | number | boolean>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
