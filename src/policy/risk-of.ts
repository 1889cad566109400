import type { ToolRisk } from '../core/tool-metadata.ts';
import type { Tool } from '../core/tool.ts';

/** What a call of the tool may do. One that does not say may change things. */
export function riskOf(tool: Tool): ToolRisk {
  return tool.metadata.risk ?? 'write';
}
