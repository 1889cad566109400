import { nearestNames } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Board } from '../../board/board.ts';

/** The tool with a name, or an error that names the nearest. */
export function getTool({ registry }: Pick<Board, 'registry'>, name: string): Tool {
  const tool = registry.get(name);
  if (tool !== undefined) return tool;
  const absence = registry.explainAbsence?.(name);
  if (absence !== undefined) throw new ToolError({ code: 'not_found', message: absence, toolName: name });
  const nearest = nearestNames(name, registry.names());
  const hint = nearest.length > 0 ? `Did you mean: ${nearest.join(', ')}?` : 'List them with: pegboard list';
  throw new ToolError({ code: 'not_found', message: `There is no tool "${name}". ${hint}`, toolName: name });
}
