import type { Tool } from '../../tool/tool.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { DiscoveryIndex } from './discovery-target.ts';

/**
 * Restricts an index to the tools of a registry.
 *
 * They are ranked with everything in the index: descriptions of sources, learned queries, an embedder. Nothing else of
 * the other tools is visible.
 */
export function scopeIndex(index: DiscoveryIndex, registry: ToolRegistry): DiscoveryIndex {
  return narrowIndex(index, ({ metadata }) => registry.has(metadata.name));
}

/** Restricts an index to tools that pass a test. The result can be restricted further. */
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
