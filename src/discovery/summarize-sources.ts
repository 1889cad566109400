import type { IndexedTool, SourceInfo } from './indexed-tool.ts';

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

/** Counts of a source's tools. */
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
