import { NO_PATHS } from '../guard/policy/tool-paths.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import { defineKind } from './define-kind.ts';
import type { EntryPath, Kind, ToolEntry } from './kind.ts';
import { refusingFirst } from '../tool/tool-marks.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';

/** The reason why a tool is disabled, and its possible names. */
interface BrokenSettings {
  /** The missing part and the fix, as a sentence in lower case. */
  readonly reason: string;
  readonly names: readonly string[];
}

/** A tool that is disabled because something it needs is missing. It is not listed, and a call reports what is missing. */
export type BrokenEntry = ToolEntry<BrokenSettings>;

/** Entries that cannot work now, so that rules and agents may name them. Config files never use `type: broken`. */
const broken = defineKind({
  type: 'broken',
  schema: { type: 'object' },
  names: (name, settings?: BrokenSettings) => settings?.names ?? [name],
  tools: brokenTools,
  // It opens no files.
  pathArguments: () => NO_PATHS,
  describe: ({ settings }) => [['off', settings.reason]],
});

/** Replaces an entry that cannot work; `kind` is its real kind. */
export function toBroken(
  place: { readonly metadata: ToolMetadata; readonly file: string; readonly path: EntryPath },
  kind: Kind | undefined,
  reason: string,
): BrokenEntry {
  const { metadata, file, path } = place;
  const names = [...new Set([metadata.name, ...(kind?.names(metadata.name) ?? [])])];
  return { kind: broken, metadata, file, path, settings: { reason, names } };
}

export function isBroken(entry: ToolEntry): entry is BrokenEntry {
  return entry.kind === broken;
}

/** Turns a reason into a sentence. */
export function toSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

/** Creates the tools for a disabled entry: a call reports what is missing. */
function brokenTools({ metadata, settings: { reason, names } }: BrokenEntry): Tool[] {
  const message = toSentence(reason);
  return names.map((name) => {
    const refusal = (): ToolError => new ToolError({ code: 'not_found', message, toolName: name });
    return defineTool({
      ...metadata,
      ...refusingFirst(refusal),
      name,
      schema: { type: 'object' },
      execute: () => {
        throw refusal();
      },
    });
  });
}
