import type { IndexedTool } from './indexed-tool.ts';

/** How many tools there are of each, the most frequent first. */
export type GroupCounts = readonly (readonly [name: string, count: number])[];

/** What tools can be filtered by, counted. */
export interface ToolGroups {
  readonly category: GroupCounts;
  readonly source: GroupCounts;
  readonly tag: GroupCounts;
  readonly risk: GroupCounts;
  readonly kind: GroupCounts;
}

/** Counts tools by all that they can be filtered by. */
export function countGroups(tools: Iterable<IndexedTool>): ToolGroups {
  const counts = {
    category: new Map(),
    source: new Map(),
    tag: new Map(),
    risk: new Map(),
    kind: new Map(),
  } satisfies Record<keyof ToolGroups, Map<string, number>>;
  const add = (counter: Map<string, number>, name: string | null | undefined): void => {
    if (name !== null && name !== undefined) counter.set(name, (counter.get(name) ?? 0) + 1);
  };
  for (const { tool, cli, category, tags } of tools) {
    add(counts.category, category);
    add(counts.source, cli);
    for (const tag of tags) add(counts.tag, tag);
    add(counts.risk, tool.metadata.risk);
    add(counts.kind, tool.metadata.kind);
  }
  const sort = (counter: ReadonlyMap<string, number>): GroupCounts => [...counter].toSorted((a, b) => b[1] - a[1]);
  return {
    category: sort(counts.category),
    source: sort(counts.source),
    tag: sort(counts.tag),
    risk: sort(counts.risk),
    kind: sort(counts.kind),
  };
}
