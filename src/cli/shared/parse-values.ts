import { parseDuration } from '../../kinds/parse-units.ts';
import { UsageError } from './usage-error.ts';

/** Parses a whole number. */
export function parseCount(
  text: string | undefined,
  { option, command, least = 0 }: { readonly option: string; readonly command: string; readonly least?: number },
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`${option} must be a whole number, ${least} or more; got "${text}".`, command);
}

/** Parses a port number. */
export function parsePort(text: string | undefined, command: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port must be a number from 0 (any free port) to 65535; got "${text}".`, command);
}

/** Parses a duration to milliseconds: `30` (seconds), `500ms`, `2m`. */
export function parseTime(text: string | undefined, option: string, command: string): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseDuration(/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  if (milliseconds > 0 && milliseconds <= 2 ** 31 - 1) return milliseconds;
  throw new UsageError(`${option} must be seconds, or a time such as 500ms, 30s, 2m; got "${text}".`, command);
}

/** Parses one of several values. */
export function parseChoice<T extends string>(
  text: string | undefined,
  choices: readonly T[],
  { option, command }: { readonly option: string; readonly command: string },
): T {
  const choice = choices.find((value) => value === text);
  if (choice !== undefined) return choice;
  const got = text === undefined ? '' : `; got "${text}"`;
  throw new UsageError(`${option} must be one of: ${choices.join(', ')}${got}.`, command);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a relative time such as `2h`, or a date, to milliseconds since 1970. Throws a `UsageError` for anything else. */
export function readTime(text: string, option: string, command: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * (UNITS[unit] ?? 0);
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`${option} takes a time such as 10m, 2h or 7d, or a date; got "${text}".`, command);
}
