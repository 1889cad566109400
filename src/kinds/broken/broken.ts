import { NO_PATHS } from '../../guard/policy/tool-paths.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import { defineKind } from '../define-kind.ts';
import type { EntryPath, Kind, ToolEntry } from '../kind.ts';

/** Why a tool is off, and the names that find it. */
interface BrokenSettings {
  /** What is missing and what to do, as a sentence in lower case. */
  readonly reason: string;
  readonly names: readonly string[];
}

/** A tool that is off, since something that it needs is missing. It is not offered, and a call says what is missing. */
export type BrokenEntry = ToolEntry<BrokenSettings>;

/** Entries that cannot work now. Rules and agents that name them find them. No file says `type: broken`. */
const broken = defineKind({
  type: 'broken',
  schema: { type: 'object' },
  names: (name, settings?: BrokenSettings) => settings?.names ?? [name],
  tools: async (entry) => (await import('./broken-tools.ts')).brokenTools(entry),
  // It opens nothing.
  pathArguments: () => NO_PATHS,
  describe: ({ settings }) => [['off', settings.reason]],
});

/** An entry in the place of one that cannot work; `kind` is what it would be. */
export function toBroken(
  place: { readonly metadata: ToolMetadata; readonly file: string; readonly path: EntryPath },
  kind: Kind | undefined,
  reason: string,
): BrokenEntry {
  const { metadata, file, path } = place;
  const names = [...new Set([metadata.name, ...(kind?.names(metadata.name) ?? [])])];
  return { kind: broken, metadata, file, path, settings: { reason, names } };
}

/** Whether an entry is off. */
export function isBroken(entry: ToolEntry): entry is BrokenEntry {
  return entry.kind === broken;
}

/** A reason as a sentence. */
export function toSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
