import { counted } from '../../tool/texts/counted.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { nearestNames, shortenName } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { describeBriefly } from './texts/describe-hit.ts';
import type { DiscoveryView } from './discovery-view.ts';

const MOST = 3;
/** Names compared before other work gets its turn. */
const AT_ONCE = 2_000;
/** Milliseconds to wait for an embedder: the answer to a wrong name should come soon. */
const PATIENCE = 1_000;

/** Creates the error for an unknown name: the nearest tools with their signatures, so that the next call is right. */
export async function explainUnknown(name: string, view: DiscoveryView): Promise<ToolError> {
  const absence = view.explainAbsence?.(name);
  if (absence?.type === 'known') return absence.error;
  const nearest = await suggestTools(name, view);
  const { size } = view.index;
  const hint =
    nearest.length > 0
      ? `Nearest:\n${nearest.map((tool) => describeBriefly(tool)).join('\n')}`
      : size === 0
        ? 'The board has no tools.'
        : `Search the ${counted(size, 'tool')} with search_tools, in words that say what it should do.`;
  const remark = absence === undefined ? '' : `${absence.remark} `;
  const message = `There is no tool ${quote(name)}. ${remark}${hint}`;
  return new ToolError({ code: 'not_found', message, toolName: shortenName(name) });
}

/** Finds tools with similar names; if there are none, tools that do what the words of the name say. */
async function suggestTools(name: string, view: DiscoveryView): Promise<Tool[]> {
  const listed = view.tools().flatMap((tool) => (isDiscoveryTool(tool) ? [] : [tool.metadata.name]));
  let near: string[] = [];
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    // Comparing the names of a large board takes a while, so other work gets its turn.
    if (start > 0) await nextTurn();
    near = nearestNames(name, [...near, ...listed.slice(start, start + AT_ONCE)], MOST);
  }
  const names =
    near.length > 0
      ? near
      : (await view.index.find(name.slice(0, 200), { limit: MOST, wait: PATIENCE })).hits.map((hit) => hit.name);
  // A tool may have been removed meanwhile.
  return names.flatMap((one) => view.find(one) ?? []);
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
