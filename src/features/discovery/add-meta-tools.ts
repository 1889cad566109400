import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { isCodeTool } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';

/** The tools of a board with those for finding others, and diagnostics about names that both have. */
export interface EquippedTools {
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Adds the tools for finding others. A tool of the files that has the name of one stays, with a warning; one that has the name of
 * the tool that runs programs is left out.
 */
export function addMetaTools(
  tools: readonly Tool[],
  added: readonly Tool[],
  files: readonly LoadedFile[],
): EquippedTools {
  const taken = new Map(tools.map((tool) => [tool.metadata.name, tool]));
  const own = new Set(added.flatMap((tool) => (isCodeTool(tool) ? [tool.metadata.name] : [])));
  return {
    tools: [
      ...tools.filter(({ metadata }) => !own.has(metadata.name)),
      ...added.filter(({ metadata }) => own.has(metadata.name) || !taken.has(metadata.name)),
    ],
    diagnostics: added.flatMap(({ metadata }) => taken.get(metadata.name) ?? []).map((tool) => warn(tool, files, own)),
  };
}

function warn(
  { metadata: { name, source = '' } }: Tool,
  files: readonly LoadedFile[],
  own: ReadonlySet<string>,
): Diagnostic {
  const file = files.findLast(({ entries }) => entries.some(({ metadata }) => metadata.name === name));
  const path = file?.entries.findLast(({ metadata }) => metadata.name === name)?.path ?? [];
  const message = own.has(name)
    ? `the tool "${name}" is left out: the name belongs to the tool that runs programs. Rename it.`
    : `the tool "${name}" takes the place of the one for finding tools. Rename it if agents are to have that.`;
  return { severity: 'warning', file: file?.file ?? source, path, message, place: file?.locate(path) };
}
