import { isDiscoveryTool } from '../../core/is-discovery-tool.ts';
import { nearestNames } from '../../core/suggest.ts';
import { ToolError } from '../../core/tool-error.ts';
import type { Tool } from '../../core/tool.ts';
import { describeBriefly } from './describe-hit.ts';
import type { DiscoveryHost } from './discovery-host.ts';

const MOST = 3;

/** The error for a name that is not there: the nearest tools and how to call them, so that the next call is right. */
export function explainUnknown(name: string, host: DiscoveryHost): ToolError {
  const nearest = suggestTools(name, host);
  const { size } = host.index;
  const hint =
    nearest.length > 0
      ? `Nearest:\n${nearest.map((tool) => describeBriefly(tool)).join('\n')}`
      : size === 0
        ? 'The board has no tools.'
        : `Search the ${size} tools with search_tools, in words that say what it should do.`;
  return new ToolError({ code: 'not_found', message: `There is no tool ${quote(name)}. ${hint}`, toolName: name });
}

/** Tools whose names are like this one; where there is none, tools that do what its words say. */
function suggestTools(name: string, { registry, index }: DiscoveryHost): Tool[] {
  const listed = registry.getAll().filter((tool) => !isDiscoveryTool(tool));
  const near = nearestNames(
    name,
    listed.map(({ metadata }) => metadata.name),
    MOST,
  );
  if (near.length > 0) return registry.only(near);
  return registry.only(index.rank(name.slice(0, 200), { limit: MOST }).hits.map((hit) => hit.name));
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
