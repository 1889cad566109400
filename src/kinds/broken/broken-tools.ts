import { refusingFirst } from '../../tool/tool-marks.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ToolEntry } from '../kind.ts';

/** Creates the tools for a disabled entry: a call reports what is missing. */
export function brokenTools({
  metadata,
  settings: { reason, names },
}: ToolEntry<{ readonly reason: string; readonly names: readonly string[] }>): Tool[] {
  const message = reason.charAt(0).toUpperCase() + reason.slice(1);
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
