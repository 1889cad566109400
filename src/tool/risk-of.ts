import type { ToolMetadata, ToolRisk } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** What a call of the tool may do. One that does not say may change things. */
export function riskOf(tool: Pick<Tool, 'metadata'>): ToolRisk {
  return tool.metadata.risk ?? 'write';
}

/** A tool's risk as listings show it: `read`, `write`, `destructive`, or `write (assumed)` where none is stated. */
export function showRisk({ risk }: Pick<ToolMetadata, 'risk'>): string {
  return risk ?? 'write (assumed)';
}

/** A tool's risk for programs: what counts, and whether its author, a config or a trusted server stated it. */
export function riskFields({ risk }: Pick<ToolMetadata, 'risk'>): {
  readonly risk: ToolRisk;
  readonly riskStated: boolean;
} {
  return { risk: risk ?? 'write', riskStated: risk !== undefined };
}
