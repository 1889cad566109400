import { isCodeTool } from '../tool/tool-marks.ts';
import type { Tool } from '../tool/tool.ts';
import { createDiscoveryTools } from '../discovery/meta-tools/create-discovery-tools.ts';
import type { CodeTarget } from '../code/code-target.ts';
import { createCodeTools } from '../code/code-tools.ts';
import type { Assembly } from './assembly/assemble.ts';
import type { Diagnostic } from '../load/diagnostics/diagnostic.ts';
import type { DiscoveryTools } from './assembly/read-discovery.ts';

/** The tools of a board, those for finding others among them, and what there is to say about them. */
export interface EquippedTools {
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a board is equipped with. */
interface Equipment {
  readonly tools: readonly Tool[];
  readonly wanted: DiscoveryTools;
}

/**
 * Makes the function that adds the tools for finding others, where they are wanted: the same ones at each reload.
 *
 * A tool of the files that has such a name stays, with a warning; one that has the name of the tool that runs programs is left out.
 */
export function createEquipper(host: () => CodeTarget): (assembly: Assembly, equipment: Equipment) => EquippedTools {
  const made = new Map<DiscoveryTools, readonly Tool[]>();
  const make = (wanted: DiscoveryTools): readonly Tool[] => {
    if (wanted === false) return [];
    const ready = made.get(wanted) ?? create(wanted, host());
    made.set(wanted, ready);
    return ready;
  };
  return (assembly, { tools, wanted }) => {
    const taken = new Map(tools.map((tool) => [tool.metadata.name, tool]));
    const added = make(wanted);
    const lost = added.flatMap(({ metadata }) => taken.get(metadata.name) ?? []);
    const own = new Set(added.flatMap((tool) => (isCodeTool(tool) ? [tool.metadata.name] : [])));
    return {
      tools: [
        ...tools.filter(({ metadata }) => !own.has(metadata.name)),
        ...added.filter(({ metadata }) => own.has(metadata.name) || !taken.has(metadata.name)),
      ],
      // What there is to tell about servers changes without other tools.
      get diagnostics() {
        return [...assembly.diagnostics, ...lost.map((tool) => warn(tool, assembly, own))];
      },
    };
  };
}

function create(wanted: DiscoveryTools, host: CodeTarget): readonly Tool[] {
  if (wanted === 'code') return createCodeTools(host);
  return createDiscoveryTools(host, wanted === 'climax' ? { compat: 'climax' } : {});
}

function warn({ metadata: { name, source = '' } }: Tool, { files }: Assembly, own: ReadonlySet<string>): Diagnostic {
  const file = files.findLast(({ entries }) => entries.some(({ metadata }) => metadata.name === name));
  const path = file?.entries.findLast(({ metadata }) => metadata.name === name)?.path ?? [];
  const message = own.has(name)
    ? `the tool "${name}" is left out: the name belongs to the tool that runs programs. Rename it.`
    : `the tool "${name}" takes the place of the one for finding tools. Rename it if agents are to have that.`;
  return { severity: 'warning', file: file?.file ?? source, path, message, place: file?.locate(path) };
}
