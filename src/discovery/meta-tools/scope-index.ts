import type { Tool } from '../../tool/tool.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { DiscoveryIndex } from './discovery-target.ts';

/**
 * A view of an index in which only the tools of a registry are found.
 *
 * They are ranked with all that the index has: what sources say of themselves, learned queries, an embedder. Nothing else
 * of the other tools shows.
 */
export function scopeIndex(index: DiscoveryIndex, registry: ToolRegistry): DiscoveryIndex {
  return narrowIndex(index, ({ metadata }) => registry.has(metadata.name));
}

/** The same for tools that pass a test. A view can be narrowed further. */
export function narrowIndex(index: DiscoveryIndex, isOwn: (tool: Tool) => boolean): DiscoveryIndex {
  const both =
    (only: ((tool: Tool) => boolean) | undefined) =>
    (tool: Tool): boolean =>
      isOwn(tool) && (only === undefined || only(tool));
  return {
    get size() {
      return index.search({ only: isOwn, limit: Infinity }).length;
    },
    find: (query, options) => index.find(query, { ...options, only: both(options?.only) }),
    search: (options) => index.search({ ...options, only: both(options?.only) }),
    summary: (filter) => index.summary({ ...filter, only: both(filter?.only) }),
    groups: (filter) => index.groups({ ...filter, only: both(filter?.only) }),
    get: (name) => {
      const tool = index.get(name);
      return tool !== undefined && isOwn(tool) ? tool : undefined;
    },
  };
}
