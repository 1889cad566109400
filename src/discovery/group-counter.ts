import { riskOf } from '../tool/tool-metadata.ts';
import type { IndexedTool } from './indexed-tool.ts';

/** Names with their numbers of tools, most frequent first. */
export type GroupCounts = readonly (readonly [name: string, count: number])[];

/** Counts by everything that tools can be filtered by. */
export interface ToolGroups {
  readonly category: GroupCounts;
  readonly source: GroupCounts;
  readonly tag: GroupCounts;
  readonly risk: GroupCounts;
  readonly kind: GroupCounts;
}

type Counts = Map<string, number>;

/** Counts tools by everything they can be filtered by, as they are added and removed. */
export class GroupCounter {
  readonly #counts: Readonly<Record<keyof ToolGroups, Counts>> = {
    category: new Map(),
    source: new Map(),
    tag: new Map(),
    risk: new Map(),
    kind: new Map(),
  };

  add(tool: IndexedTool): void {
    this.#count(tool, 1);
  }

  remove(tool: IndexedTool): void {
    this.#count(tool, -1);
  }

  clear(): void {
    for (const counts of Object.values(this.#counts)) counts.clear();
  }

  groups(): ToolGroups {
    const { category, source, tag, risk, kind } = this.#counts;
    return { category: sort(category), source: sort(source), tag: sort(tag), risk: sort(risk), kind: sort(kind) };
  }

  #count({ tool, source, category, tags }: IndexedTool, by: 1 | -1): void {
    const { kind } = tool.metadata;
    change(this.#counts.category, category, by);
    change(this.#counts.source, source, by);
    for (const tag of tags) change(this.#counts.tag, tag, by);
    change(this.#counts.risk, riskOf(tool), by);
    change(this.#counts.kind, kind, by);
  }
}

export function countGroups(tools: Iterable<IndexedTool>): ToolGroups {
  const counter = new GroupCounter();
  for (const tool of tools) counter.add(tool);
  return counter.groups();
}

function change(counts: Counts, name: string | null | undefined, by: 1 | -1): void {
  if (name === null || name === undefined) return;
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

function sort(counts: Counts): GroupCounts {
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}
