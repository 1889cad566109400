import { parseSize } from '../../kinds/parse-units.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** How much is recorded of a call: nothing; names, caller, times, sizes and outcome; or arguments and results too. */
export type RecordLevel = 'off' | 'summary' | 'full';

/** What a board records, and for how long. */
export interface RecordSettings {
  readonly level: RecordLevel;
  /** Levels of single tools, by name. */
  readonly tools: ReadonlyMap<string, RecordLevel>;
  /** Milliseconds that records are kept. */
  readonly keep: number;
  /** Lines that are kept at most; the oldest go first. */
  readonly maxLines: number;
  /** About how many bytes lines may take; the oldest go first. */
  readonly maxSize: number;
}

const DAY = 24 * 60 * 60_000;
const DEFAULT_KEEP = 30 * DAY;
const DEFAULT_MAX_LINES = 10_000_000;
const DEFAULT_MAX_SIZE = 10 * 2 ** 30;

/** What the files say about records; of each setting the last one counts. */
export function readRecordSettings(files: readonly LoadedFile[]): RecordSettings {
  let level: RecordLevel = 'summary';
  let keep = DEFAULT_KEEP;
  let maxLines = DEFAULT_MAX_LINES;
  let maxSize = DEFAULT_MAX_SIZE;
  const tools = new Map<string, RecordLevel>();
  for (const { record } of files) {
    if (record === undefined) continue;
    level = toLevel(record['level']) ?? level;
    if (typeof record['keep'] === 'number') keep = record['keep'] * DAY;
    if (typeof record['max_lines'] === 'number') maxLines = record['max_lines'];
    const size = record['max_size'];
    if (typeof size === 'number' || typeof size === 'string') maxSize = parseSize(size);
    for (const [name, wanted] of Object.entries(Object(record['tools'] ?? {}))) {
      const own = toLevel(wanted);
      if (own !== undefined) tools.set(name, own);
    }
  }
  return { level, tools, keep, maxLines, maxSize };
}

function toLevel(value: unknown): RecordLevel | undefined {
  return value === 'off' || value === 'summary' || value === 'full' ? value : undefined;
}
