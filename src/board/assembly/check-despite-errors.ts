import type { ToolEntry } from '../../kinds/kind.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { toBroken } from '../../kinds/broken.ts';
import { hasOneName } from '../../load/turn-off.ts';

type Entries = ReadonlyMap<string, { readonly entry: ToolEntry; readonly file: LoadedFile }>;

/** Sections that can be invalid without affecting the set of tools. */
const SECTIONS: ReadonlySet<unknown> = new Set([
  'agents',
  'policy',
  'discovery',
  'serve',
  'env',
  'lock',
  'data',
  'max_model_output',
  'max_values',
  'processes',
]);

/**
 * Returns files with errors for further checks: with placeholders for faulty tools, and without faulty sections. `undefined` when the set
 * of tools is unknown: a rule that names one of them could be blamed wrongly.
 */
export function checkDespiteErrors(
  config: LoadedConfig,
  entries: Entries,
  diagnostics: readonly Diagnostic[],
): { readonly config: LoadedConfig; readonly entries: Entries } | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const next = new Map(entries);
  for (const { file: name, path } of errors) {
    const [key, at] = path;
    if (SECTIONS.has(key) || (key === 'mcpServers' && at !== undefined)) continue;
    const file = config.files.find((candidate) => candidate.file === name);
    if (key !== 'tools' || file === undefined) return undefined;
    const isHere = ({ path: [, index] }: ToolEntry): boolean => index === at;
    const known = file.faultyEntries.find(isHere) ?? file.entries.find(isHere);
    const entry = known === undefined ? undefined : toStandIn(known);
    if (entry === undefined) return undefined;
    next.set(entry.metadata.name, { entry, file });
  }
  const badServers = new Set(errors.flatMap(({ path: [key, at] }) => (key === 'mcpServers' ? [at] : [])));
  for (const [name, { entry, file }] of next) {
    const isLost = entry.kind.uses(entry).some((use) => use.type === 'server' && badServers.has(use.name));
    const instead = isLost ? toStandIn(entry) : undefined;
    if (instead !== undefined) next.set(name, { entry: instead, file });
  }
  const hasBadAgents = errors.some(({ path: [key] }) => key === 'agents');
  const files = hasBadAgents ? config.files.map(withoutAgents) : config.files;
  return { config: { ...config, files }, entries: next };
}

function withoutAgents(file: LoadedFile): LoadedFile {
  const { agents: _, ...sections } = file.sections;
  return { ...file, sections };
}

/** A placeholder needs a single known name. */
function toStandIn(entry: ToolEntry): ToolEntry | undefined {
  const { kind, metadata } = entry;
  return hasOneName(kind, metadata.name) ? toBroken(entry, kind, `the tool "${metadata.name}" has errors`) : undefined;
}
