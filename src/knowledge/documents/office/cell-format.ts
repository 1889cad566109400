/** The display format of a number in a sheet. */
export type CellFormat = 'number' | 'percent' | 'date' | 'time' | 'datetime' | 'duration';

/** Excel's built-in formats. */
const BUILT_IN: readonly (readonly [from: number, to: number, format: CellFormat])[] = [
  [9, 10, 'percent'],
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'datetime'],
  [27, 31, 'date'],
  [32, 33, 'time'],
  [34, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 58, 'date'],
];

/** Returns the format for an id, or for a code such as `yyyy-mm-dd` if the document defines one. */
export function formatOfNumber(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number';
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'duration';
  // Removes literals, colours, conditions, and the part for negative numbers.
  const plain =
    code
      .slice(0, 500)
      .replaceAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
      .split(';')[0] ?? '';
  const hasTime = /[hs]/i.test(plain);
  const hasDate = /[yd]/i.test(plain) || (/m/i.test(plain) && !hasTime);
  if (hasDate && !/general/i.test(plain)) return hasTime ? 'datetime' : 'date';
  if (hasTime && !/general/i.test(plain)) return 'time';
  return plain.includes('%') ? 'percent' : 'number';
}

const DAY = 86_400_000;
/** The last day in Excel, in the year 9999. */
const MAX_DAY = 2_958_466;

/** Formats a number for people, and days as ISO dates. `is1904` counts days from 1904, as old Macs did. */
export function formatNumber(value: number, format: CellFormat, is1904: boolean): string {
  if (!Number.isFinite(value)) return '';
  if (format === 'percent') return `${round(value * 100)}%`;
  if (format === 'duration') return clock(Math.round(value * 86_400));
  const days = is1904 ? value + 1462 : value;
  if (format === 'number' || days < 0 || days >= MAX_DAY) return round(value);
  if (value < 1 && format !== 'date') return clock(Math.round(value * 86_400));
  // Excel treats 1900 as a leap year, so all days before its March are off by one.
  const whole = Math.round((days < 60 ? days + 1 : days) * 86_400) * 1000;
  const iso = new Date(whole - 25_569 * DAY).toISOString();
  return format === 'date' || iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** Removes the rounding errors of binary fractions. */
function round(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function clock(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const size = Math.abs(seconds);
  return `${seconds < 0 ? '-' : ''}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}:${two(size % 60)}`;
}
