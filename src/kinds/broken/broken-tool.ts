import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { BrokenEntry } from '../tool-entry.ts';

/** The tools in the place of one that is off: rules and agents that name it find it, and a call says what is missing. */
export function brokenTools({ metadata, kind, reason }: BrokenEntry): Tool[] {
  // A knowledge base gives a tool for each operation, and may be called by its bare name.
  const names = kind === 'rag' ? [metadata.name, `${metadata.name}-search`, `${metadata.name}-store`] : [metadata.name];
  return names.map((name) =>
    defineTool({
      ...metadata,
      name,
      schema: { type: 'object' },
      execute: () => {
        throw new ToolError({ code: 'not_found', message: sayOff(reason), toolName: name });
      },
    }),
  );
}

/** A reason as a sentence. */
export function sayOff(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
