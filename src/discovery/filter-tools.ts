import { riskOf } from '../tool/tool-metadata.ts';
import { BORDER, type IndexedTool } from './indexed-tool.ts';
import type { Page, ToolFilter } from './search-options.ts';

/** Creates the test for a filter. Returns `undefined` if every tool passes. */
export function toFilterTest(filter: ToolFilter): ((tool: IndexedTool) => boolean) | undefined {
  const tests: ((tool: IndexedTool) => boolean)[] = [];
  const add = (wanted: string | null | undefined, test: (tool: IndexedTool, wanted: string) => boolean): void => {
    if (wanted === undefined || wanted === null) return;
    const folded = wanted.toLowerCase();
    tests.push((tool) => test(tool, folded));
  };
  add(filter.category, ({ category }, wanted) => category?.toLowerCase() === wanted);
  add(filter.cli, ({ source }, wanted) => source.toLowerCase() === wanted);
  add(filter.tag, ({ tags }, wanted) => tags.some((tag) => tag.toLowerCase() === wanted));
  add(filter.risk, ({ tool }, wanted) => riskOf(tool) === wanted);
  add(filter.kind, ({ tool }, wanted) => tool.metadata.kind?.toLowerCase() === wanted);
  const { only } = filter;
  if (only !== undefined) tests.push(({ tool }) => only(tool));
  return tests.length === 0 ? undefined : (tool) => tests.every((test) => test(tool));
}

/** Returns a page of the tools that pass, in their order. */
export function browse(
  tools: Iterable<IndexedTool>,
  { limit, offset }: Page,
  passes: ((tool: IndexedTool) => boolean) | undefined,
): IndexedTool[] {
  const found: IndexedTool[] = [];
  let skipped = 0;
  if (limit === 0) return found;
  for (const tool of tools) {
    if (passes?.(tool) === false || skipped++ < offset) continue;
    found.push(tool);
    if (found.length >= limit) break;
  }
  return found;
}

/** Returns true if a tool has the text, in any case, in one of the fields of a plain search. */
export function hasText({ folded }: IndexedTool, text: string): boolean {
  return folded.includes(text) && !text.includes(BORDER);
}
