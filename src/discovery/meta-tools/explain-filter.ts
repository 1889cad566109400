import { nearestNames } from '../../core/suggest.ts';
import { readKind } from '../filter-tools.ts';
import type { ToolFilter } from '../search-options.ts';
import type { ToolIndex } from '../tool-index.ts';

const MOST = 20;

/** Says which filter no tool at all passes, and what there is instead; `undefined` when each lets some through. */
export function explainFilter(index: ToolIndex, filter: ToolFilter): string | undefined {
  for (const [key, value] of Object.entries(filter)) {
    if (typeof value !== 'string') continue;
    if (index.search({ [key]: value, limit: 1 }).length > 0) continue;
    const known = listValues(index, key);
    const name = key === 'cli' ? 'source' : key;
    const nearest = nearestNames(value, known, MOST);
    const hint =
      known.length === 0
        ? `No tool has a ${name}.`
        : `There are: ${(nearest.length > 0 && known.length > MOST ? nearest : known).slice(0, MOST).join(', ')}.`;
    return `No tool has the ${name} ${JSON.stringify(value.slice(0, 80))}. ${hint}`;
  }
  return undefined;
}

function listValues(index: ToolIndex, key: string): string[] {
  const entries = index.search({ limit: Infinity });
  const values = entries.flatMap(({ name, category, cli, tags }): (string | null | undefined)[] => {
    switch (key) {
      case 'category':
        return [category];
      case 'cli':
        return [cli];
      case 'tag':
        return [...tags];
      case 'risk':
        return [index.get(name)?.metadata.risk];
      default:
        return [readKind(index.get(name)?.metadata ?? {})];
    }
  });
  return [...new Set(values)].filter((value) => typeof value === 'string');
}
