import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { Tool } from '../../core/tool.ts';
import type { ToolIndex } from '../tool-index.ts';
import type { DiscoveryIndex } from './discovery-host.ts';

/**
 * A look at an index through which only the tools of a registry are found.
 *
 * They are ranked with all that the index has: what sources say of themselves, learned queries, an embedder. Nothing else
 * of the other tools shows.
 */
export function scopeIndex(index: ToolIndex, registry: ToolRegistry): DiscoveryIndex {
  const only = ({ metadata }: Tool): boolean => registry.has(metadata.name);
  return {
    get size() {
      return index.search({ only, limit: Infinity }).length;
    },
    find: (query, options) => index.find(query, { ...options, only }),
    search: (options) => index.search({ ...options, only }),
    summary: (filter) => index.summary({ ...filter, only }),
    groups: (filter) => index.groups({ ...filter, only }),
    get: (name) => (registry.has(name) ? index.get(name) : undefined),
  };
}
