import { resolve } from 'node:path';
import type { SectionValue } from '../../../load/features/built-in-section.ts';
import type { Placed } from '../../../load/features/section.ts';
import { riskOf, type ToolRisk } from '../../../tool/tool-metadata.ts';
import type { Tool } from '../../../tool/tool.ts';

type AuditSection = SectionValue<'audit'>;

/** A place that audit lines go to, in addition to the store. */
export type SinkPlace =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'stderr' }
  | { readonly type: 'otlp'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The settings of the audit. */
export interface AuditSettings {
  /** True when lines are sealed. */
  readonly isOn: boolean;
  readonly sink: SinkPlace | undefined;
  /** Names of tools and levels of risk whose calls are on disk before they run. */
  readonly strict: ReadonlySet<string>;
}

type PlacedSink = Exclude<AuditSection, boolean> & { readonly folder?: string };

/** From the lowest level of risk to the highest. */
const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/** Joins the sections of all files: of each setting the last one counts, and every tool that a file names strict is strict. */
export function toAuditSettings(sections: readonly Placed<AuditSection>[]): AuditSettings {
  const written = sections.map((one): PlacedSink =>
    typeof one.value === 'boolean' ? {} : { ...one.value, folder: one.folder() },
  );
  const sink = written.findLast((one) => one.sink !== undefined);
  const named = new Set(written.flatMap(({ strict = [] }) => strict));
  // A level includes those above it.
  const lowest = RISKS.findIndex((risk) => named.has(risk));
  const strict = new Set([...named, ...(lowest === -1 ? [] : RISKS.slice(lowest))]);
  return { isOn: (sections.at(-1)?.value ?? false) !== false, sink: sink && toSink(sink), strict };
}

/** True when a call of this tool has to be on disk before it runs. */
export function isStrict({ isOn, strict }: AuditSettings, tool: Tool): boolean {
  return isOn && strict.size > 0 && (strict.has(tool.metadata.name) || strict.has(riskOf(tool)));
}

function toSink({ sink = '', headers = {}, folder = '' }: PlacedSink): SinkPlace {
  if (sink === 'stderr') return { type: 'stderr' };
  if (!/^https?:\/\//.test(sink)) return { type: 'file', path: resolve(folder, sink) };
  return { type: 'otlp', url: sink, headers };
}
