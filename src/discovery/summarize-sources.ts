import type { IndexedTool, SourceInfo } from './indexed-tool.ts';

/** What a source has to offer. */
export interface SourceSummary {
  readonly name: string;
  readonly description: string;
  readonly toolCount: number;
  readonly category: string | null;
  readonly tags: readonly string[];
}

/**
 * Sums up every source in order: first those that are known by name, then others as their tools came.
 *
 * What a source does not say of itself is taken from its tools: the category if they agree, and their tags.
 */
export function summarizeSources(
  tools: Iterable<IndexedTool>,
  known: readonly SourceInfo[],
  { withEmpty }: { readonly withEmpty: boolean },
): SourceSummary[] {
  const groups = new Map<string, IndexedTool[]>();
  for (const { name } of known) groups.set(name, []);
  for (const tool of tools) {
    const group = groups.get(tool.cli);
    if (group === undefined) groups.set(tool.cli, [tool]);
    else group.push(tool);
  }
  // Files may share a name; the first to say something is heard.
  const infos = Map.groupBy(known, ({ name }) => name);
  return [...groups]
    .filter(([, group]) => withEmpty || group.length > 0)
    .map(([name, group]) => summarize(name, group, infos.get(name)));
}

function summarize(name: string, group: readonly IndexedTool[], infos: readonly SourceInfo[] = []): SourceSummary {
  const categories = new Set(group.map(({ category }) => category));
  const [agreed] = categories.size === 1 ? categories : [null];
  const isKnown = infos.length > 0;
  return {
    name,
    description: infos.find(({ description }) => description)?.description ?? '',
    toolCount: group.length,
    category: isKnown ? (infos.find(({ category }) => category)?.category ?? null) : (agreed ?? null),
    tags: [...new Set(isKnown ? infos.flatMap(({ tags = [] }) => tags) : group.flatMap(({ tags }) => tags))],
  };
}
