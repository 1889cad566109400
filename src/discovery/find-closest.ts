import { GroupCounter, type GroupCounts, type ToolGroups } from './group-counter.ts';
import type { IndexedTool } from './indexed-tool.ts';
import type { ClosestGroups } from './ranked-result.ts';

const MOST = 5;

/** The categories and sources of the tools that come nearest; without any, the largest of the board. */
export function findClosest(nearest: readonly IndexedTool[], all: () => ToolGroups): ClosestGroups {
  const { category, source } = nearest.length > 0 ? countThese(nearest) : all();
  return { categories: largest(category), sources: largest(source) };
}

function countThese(tools: readonly IndexedTool[]): ToolGroups {
  const counter = new GroupCounter();
  for (const tool of tools) counter.add(tool);
  return counter.groups();
}

function largest(counts: GroupCounts): string[] {
  return counts.slice(0, MOST).map(([name]) => name);
}
