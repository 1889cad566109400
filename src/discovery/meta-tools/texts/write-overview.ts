import type { GroupCounts } from '../../group-counter.ts';
import type { SourceSummary } from '../../summarize-sources.ts';
import type { DiscoveryIndex } from '../discovery-target.ts';
import type { HitDetail } from './describe-hit.ts';
import { shortenText } from './shorten-text.ts';

/** The most sources that are listed with descriptions; more are listed by name only. */
const TOLD = 20;
const NAMED = 60;
const GROUPS = 25;

/** The board in numbers. */
interface Overview extends Readonly<Record<string, unknown>> {
  readonly toolCount: number;
  readonly sources: readonly SourceSummary[];
  readonly categories: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<string, number>>;
}

/** Writes an overview of the board: sources with counts, categories, tags. Stays short for any board. */
export function writeOverview(
  index: DiscoveryIndex,
  detail: HitDetail,
): { readonly text: string; readonly data: Overview } {
  const sources = index.summary();
  const { category: categories, tag: tags } = index.groups();
  const data = {
    toolCount: index.size,
    sources,
    categories: Object.fromEntries(categories),
    tags: Object.fromEntries(tags),
  };
  if (index.size === 0) return { text: 'The board has no tools.', data };
  const many = sources.length === 1 ? '1 source' : `${sources.length} sources`;
  return {
    text: [
      `${index.size} ${index.size === 1 ? 'tool' : 'tools'} from ${many}:`,
      writeSources(sources, detail),
      ...(categories.length === 0 ? [] : [`Categories: ${writeCounts(categories)}`]),
      ...(tags.length === 0 ? [] : [`Tags: ${writeCounts(tags)}`]),
      'Give a query, or filter by source, category, tag, risk or kind.',
    ].join('\n'),
    data,
  };
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

/** Writes `vcs 12, files 3, …4 more`. */
function writeCounts(counts: GroupCounts, most = GROUPS): string {
  const shown = counts.slice(0, most).map(([name, number]) => `${name} ${number}`);
  return [...shown, ...(counts.length > most ? [`…${counts.length - most} more`] : [])].join(', ');
}
