import { counted } from '../../tool/texts/counted.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { freeName, nearestNames, shortenName } from '../../tool/texts/suggest.ts';
import { ToolAlreadyExistsError, ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';

/** Returns the error for a name that no tool has, with the nearest names. */
export function unknownTool(name: string, known: readonly string[], remark?: string): ToolError {
  const nearest = nearestNames(name, known);
  const hint =
    nearest.length > 0
      ? `Did you mean: ${nearest.join(', ')}?`
      : known.length === 0
        ? 'The board has no tools.'
        : `The board has ${counted(known.length, 'tool')}; search it for what you need.`;
  return new ToolError({
    code: 'not_found',
    message: `There is no tool "${shortenName(name)}". ${hint}${remark === undefined ? '' : ` ${remark}`}`,
    toolName: name,
  });
}

/** Returns the error for a call whose name is not a text. */
export function unnamedTool(name: unknown): ToolError {
  const message = `The name of a tool is text; got ${describeValue(name)}. Name the tool to call.`;
  return new ToolError({ code: 'not_found', message });
}

/** Returns the error for a tool whose name is taken, with a free name. */
export function duplicateTool(tool: Tool, taken: Tool, isTaken: (name: string) => boolean): ToolAlreadyExistsError {
  const { name, source } = tool.metadata;
  const suggestion = freeName(name, isTaken);
  const from = (place: string | undefined): string => (place === undefined ? 'from code' : `from ${place}`);
  return new ToolAlreadyExistsError({
    toolName: name,
    suggestion,
    message: `Tool "${name}" is already registered (${from(taken.metadata.source)}); the one ${from(source)} was not added. Rename it, for example to "${suggestion}", or pass { override: true }.`,
  });
}
