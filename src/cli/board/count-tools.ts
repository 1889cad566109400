import { isDiscoveryTool, isHelperTool } from '../../tool/tool-marks.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';

/** How many tools a board has, as `pegboard list` counts them: without those that only serve the others. */
export function countTools(registry: ToolRegistry): string {
  const count = registry.getAll().filter((tool) => !isHelperTool(tool) && !isDiscoveryTool(tool)).length;
  return count === 1 ? '1 tool' : `${count} tools`;
}
