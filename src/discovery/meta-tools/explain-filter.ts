import { nearestNames } from '../../tool/texts/suggest.ts';
import type { ToolFilter } from '../search-options.ts';
import type { DiscoveryIndex } from './discovery-target.ts';

const MOST = 20;
const FILTERS = ['category', 'source', 'tag', 'risk', 'kind'] as const;

/** Names the filter that no tool passes, with the existing values. Returns `undefined` if each filter has tools. */
export function explainFilter(index: DiscoveryIndex, filter: ToolFilter): string | undefined {
  for (const key of FILTERS) {
    const field = key === 'source' ? 'cli' : key;
    const value = filter[field];
    if (typeof value !== 'string') continue;
    const known = index.groups()[key].map(([name]) => name);
    if (known.some((name) => name.toLowerCase() === value.toLowerCase())) continue;
    const nearest = nearestNames(value, known, MOST);
    const hint =
      known.length === 0
        ? `No tool has a ${key}.`
        : `There are: ${(nearest.length > 0 && known.length > MOST ? nearest : known).slice(0, MOST).join(', ')}.`;
    return `No tool has the ${key} ${JSON.stringify(value.slice(0, 80))}. ${hint}`;
  }
  return undefined;
}
