import type { ToolRisk } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** What a call of the tool may do. One that does not say may change things. */
export function riskOf(tool: Pick<Tool, 'metadata'>): ToolRisk {
  return tool.metadata.risk ?? 'write';
}
