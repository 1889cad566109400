import { riskOf } from '../tool/tool-metadata.ts';
import type { IndexedTool, SourceInfo } from './indexed-tool.ts';

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

/** An overview of a source. */
export interface SourceSummary {
  readonly name: string;
  readonly description: string;
  readonly toolCount: number;
  readonly category: string | null;
  readonly tags: readonly string[];
}

/**
 * Summarizes all sources in order: first those with a description, then others in the order of their tools.
 *
 * A source without a description of its own takes its category from its tools if they agree, and their tags.
 */
export function summarizeSources(
  tools: Iterable<IndexedTool>,
  known: readonly SourceInfo[],
  { withEmpty }: { readonly withEmpty: boolean },
): SourceSummary[] {
  const tallies = new Map<string, Tally>();
  for (const { name } of known) tallies.set(name, { count: 0, categories: new Set(), tags: new Set() });
  for (const { source, category, tags } of tools) {
    let tally = tallies.get(source);
    if (tally === undefined) tallies.set(source, (tally = { count: 0, categories: new Set(), tags: new Set() }));
    tally.count++;
    tally.categories.add(category);
    for (const tag of tags) tally.tags.add(tag);
  }
  // Several files may have one name; the first with a description counts.
  const infos = Map.groupBy(known, ({ name }) => name);
  return [...tallies]
    .filter(([, { count }]) => withEmpty || count > 0)
    .map(([name, tally]) => summarize(name, tally, infos.get(name)));
}

/** Texts that searches read in addition to the tools' own texts. */
interface Tally {
  count: number;
  readonly categories: Set<string | null>;
  readonly tags: Set<string>;
}

function summarize(name: string, { count, categories, tags }: Tally, infos: readonly SourceInfo[] = []): SourceSummary {
  const [agreed] = categories.size === 1 ? categories : [null];
  const isKnown = infos.length > 0;
  return {
    name,
    description: infos.find(({ description }) => description)?.description ?? '',
    toolCount: count,
    category: isKnown ? (infos.find(({ category }) => category)?.category ?? null) : (agreed ?? null),
    tags: [...new Set(isKnown ? infos.flatMap(({ tags: own = [] }) => own) : tags)],
  };
}
