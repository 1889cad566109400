import { dirname, resolve } from 'node:path';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { isPlainObject } from '../../tool/json.ts';
import { riskOf, type ToolRisk } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';

/** Where audit lines go besides the store. */
export type SinkPlace =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'stderr' }
  | { readonly type: 'otlp'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What the files say about the audit. */
export interface AuditSettings {
  /** Whether lines are sealed. */
  readonly isOn: boolean;
  readonly sink: SinkPlace | undefined;
  /** Names of tools and levels of risk whose calls are on disk before they run. */
  readonly strict: ReadonlySet<string>;
}

/** Lower levels of risk that a level includes everything above of. */
const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/** What the files say about the audit; of each setting the last one counts, and all that is named strict is. */
export function readAuditSettings(files: readonly LoadedFile[], cwd: string): AuditSettings {
  let isOn = false;
  let sink: SinkPlace | undefined;
  const strict = new Set<string>();
  for (const { audit, file } of files) {
    if (audit === undefined) continue;
    isOn = audit !== false;
    if (!isPlainObject(audit)) continue;
    sink = toSink(audit, resolve(cwd, dirname(file))) ?? sink;
    for (const name of Array.isArray(audit['strict']) ? audit['strict'] : []) strict.add(String(name));
  }
  for (const [index, risk] of RISKS.entries())
    if (strict.has(risk)) for (const higher of RISKS.slice(index)) strict.add(higher);
  return { isOn, sink, strict };
}

/** Whether a call of this tool has to be on disk before it runs. */
export function isStrict({ isOn, strict }: AuditSettings, tool: Tool): boolean {
  return isOn && strict.size > 0 && (strict.has(tool.metadata.name) || strict.has(riskOf(tool)));
}

function toSink(audit: Readonly<Record<string, unknown>>, folder: string): SinkPlace | undefined {
  const { sink, headers } = audit;
  if (typeof sink !== 'string') return undefined;
  if (sink === 'stderr') return { type: 'stderr' };
  if (!/^https?:\/\//.test(sink)) return { type: 'file', path: resolve(folder, sink) };
  const texts = isPlainObject(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : [];
  return { type: 'otlp', url: sink, headers: Object.fromEntries(texts) };
}
