import type { Tool } from '../tool/tool.ts';

/** The part of a tool that an exporter reads. */
export type ExportableTool = Pick<Tool, 'metadata' | 'inputSchema' | 'outputSchema'>;

/** What exporters take: tools in a list, or a registry. */
export type ToolSource = Iterable<ExportableTool> | { getAll(): Iterable<ExportableTool> };

/** The tools of a list or a registry, in order. */
export function listTools(source: ToolSource): ExportableTool[] {
  return [...(Symbol.iterator in source ? source : source.getAll())];
}
