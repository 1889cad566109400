import { resolve } from 'node:path';
import { parseSize } from '../../kinds/parse-units.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import { joinValues, type Placed } from '../../load/features/section.ts';
import { riskOf, type ToolRisk } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';

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

type AuditSection = SectionValue<'audit'>;

/** A destination for audit lines in addition to the store. */
export type SinkPlace =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'stderr' }
  | { readonly type: 'otlp'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The settings of the audit. */
export interface AuditSettings {
  /** True when lines are sealed. */
  readonly isOn: boolean;
  readonly sink: SinkPlace | undefined;
  /** Tool names and risks whose calls must be on disk before they run. */
  readonly strict: ReadonlySet<string>;
}

interface WrittenAudit {
  readonly strict?: readonly string[];
  readonly sink?: SinkPlace;
}

/** From the lowest risk to the highest. */
const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/** Joins the sections of all files: a tool is strict if any file says so. */
export function toAuditSettings(sections: readonly Placed<AuditSection>[]): AuditSettings {
  const written = sections.map((one): WrittenAudit => {
    if (typeof one.value === 'boolean') return {};
    const { sink, headers = {}, strict = [] } = one.value;
    return { strict, ...(sink === undefined ? {} : { sink: toSink(sink, headers, one.folder()) }) };
  });
  const { sink, strict: all } = joinValues(written, { strict: 'list' });
  const named = new Set<string>(all);
  // A risk includes the higher ones.
  const lowest = RISKS.findIndex((risk) => named.has(risk));
  const strict = new Set([...named, ...(lowest === -1 ? [] : RISKS.slice(lowest))]);
  return { isOn: (sections.at(-1)?.value ?? false) !== false, sink, strict };
}

/** Returns true when a call of this tool must be on disk before it runs, while lines are sealed. */
export function isStrict({ strict }: AuditSettings, tool: Tool): boolean {
  return strict.size > 0 && (strict.has(tool.metadata.name) || strict.has(riskOf(tool)));
}

function toSink(sink: string, headers: Readonly<Record<string, string>>, folder: string): SinkPlace {
  if (sink === 'stderr') return { type: 'stderr' };
  if (!/^https?:\/\//.test(sink)) return { type: 'file', path: resolve(folder, sink) };
  return { type: 'otlp', url: sink, headers };
}
