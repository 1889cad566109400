import { UsageError } from './usage-error.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a relative time such as `2h`, or a date, to milliseconds since 1970. Throws a `UsageError` for anything else. */
export function readTime(text: string, option: string, command: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * (UNITS[unit] ?? 0);
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`${option} takes a time such as 10m, 2h or 7d, or a date; got "${text}".`, command);
}
