import { ToolResult } from '../../core/tool-result.ts';
import type { SourceSummary } from '../summarize-sources.ts';
import type { ToolIndex } from '../tool-index.ts';
import type { HitDetail } from './describe-hit.ts';
import { shortenText } from './shorten-text.ts';

/** So many sources are told with what they are for; above that, with their names only. */
const TOLD = 20;
const NAMED = 60;
const GROUPS = 25;

/** The board at a glance: sources with counts, categories, tags. Stays short however large the board is. */
export function writeOverview(index: ToolIndex, detail: HitDetail): ToolResult {
  const sources = index.summary();
  const entries = index.search({ limit: Infinity });
  const categories = count(entries.map(({ category }) => category).filter((category) => category !== null));
  const tags = count(entries.flatMap(({ tags: own }) => own));
  const data = { toolCount: index.size, sources, categories: toObject(categories), tags: toObject(tags) };
  if (index.size === 0) return ToolResult.from({ text: 'The board has no tools.', data });
  const many = sources.length === 1 ? '1 source' : `${sources.length} sources`;
  return ToolResult.from({
    text: [
      `${index.size} ${index.size === 1 ? 'tool' : 'tools'} from ${many}:`,
      writeSources(sources, detail),
      ...(categories.length === 0 ? [] : [`Categories: ${writeCounts(categories)}`]),
      ...(tags.length === 0 ? [] : [`Tags: ${writeCounts(tags)}`]),
      'Give a query, or filter by source, category, tag, risk or kind.',
    ].join('\n'),
    data,
  });
}

function writeSources(sources: readonly SourceSummary[], detail: HitDetail): string {
  if (sources.length <= TOLD && detail !== 'names') {
    return sources
      .map(({ name, toolCount, description }) => {
        const about = shortenText(description, 15);
        return `- ${name} (${toolCount})${about === '' || about === name ? '' : ` — ${about}`}`;
      })
      .join('\n');
  }
  return writeCounts(
    sources.map(({ name, toolCount }): [string, number] => [name, toolCount]).toSorted((a, b) => b[1] - a[1]),
    NAMED,
  );
}

/** `vcs 12, files 3, …4 more` */
function writeCounts(counts: readonly (readonly [name: string, count: number])[], most = GROUPS): string {
  const shown = counts.slice(0, most).map(([name, number]) => `${name} ${number}`);
  return [...shown, ...(counts.length > most ? [`…${counts.length - most} more`] : [])].join(', ');
}

/** How often each occurs, the most frequent first. */
function count(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}

function toObject(counts: readonly (readonly [string, number])[]): Record<string, number> {
  return Object.fromEntries(counts);
}
