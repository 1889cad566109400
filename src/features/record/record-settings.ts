import { parseSize } from '../../kinds/parse-units.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import { joinValues, type Placed } from '../../load/features/section.ts';

/** The recorded data of a call: nothing; names, caller, times, sizes and outcome; or also arguments and results. */
export type RecordLevel = Extract<SectionValue<'record'>, string>;

/** The settings of a board's record, with defaults filled in. */
export interface RecordSettings {
  readonly level: RecordLevel;
  /** Levels of single tools, by name. */
  readonly tools: ReadonlyMap<string, RecordLevel>;
  /** Milliseconds to keep records. */
  readonly keep: number;
  /** Maximum lines to keep; the oldest are deleted first. */
  readonly maxLines: number;
  /** Approximate maximum bytes of all lines; the oldest are deleted first. */
  readonly maxSize: number;
}

const DAY = 24 * 60 * 60_000;

/** Joins the sections of the files and fills in defaults. */
export function toRecordSettings(sections: readonly Placed<SectionValue<'record'>>[]): RecordSettings {
  const written = sections.map(({ value }): Exclude<SectionValue<'record'>, string> =>
    typeof value === 'string' ? { level: value } : value,
  );
  const joined = joinValues(written, { tools: 'keys' });
  const { level = 'summary', tools = {}, keep = 30, max_lines: maxLines, max_size: maxSize } = joined;
  return {
    level,
    tools: new Map(Object.entries(tools)),
    keep: keep * DAY,
    maxLines: maxLines ?? 10_000_000,
    maxSize: parseSize(maxSize ?? '10GB'),
  };
}
