import { isForModels } from '../../tool/app-pages.ts';
import { boundsOf, type CallBounds } from '../../tool/calls/call-bounds.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Absence } from '../../board/registry/absent-tools.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { ToolIndex } from '../tool-index.ts';

/** The part of an index that discovery tools use. */
export type DiscoveryIndex = Pick<ToolIndex, 'find' | 'search' | 'summary' | 'groups' | 'get' | 'size'>;

/** The index to find tools in, and the registry to call them through. */
export interface DiscoveryTarget {
  readonly registry: ToolRegistry;
  readonly index: DiscoveryIndex;
}

/** The part of a board that a caller can reach. */
export interface DiscoveryView {
  readonly index: DiscoveryIndex;
  /** Returns the tool that a call with this name reaches. */
  find(name: string): Tool | undefined;
  tools(): readonly Tool[];
  /** Explains why a tool is missing; only for callers that reach the whole board. */
  explainAbsence?(name: string): Absence | undefined;
  /** Resolves when it is decided if a tool with this name arrives; `undefined` if none can. */
  arrival(name: string): Promise<void> | undefined;
}

/** Returns the view of a caller: only its own tools. Without a caller, the whole board except tools for pages alone. */
export function viewFor({ registry, index }: DiscoveryTarget, bounds: CallBounds | undefined): DiscoveryView {
  if (bounds === undefined) {
    return {
      index,
      find: (name) => {
        const tool = registry.find(name);
        return tool !== undefined && isForModels(tool) ? tool : undefined;
      },
      tools: () => registry.getAll().filter(isForModels),
      explainAbsence: (name) => registry.absent?.explain(name),
      arrival: (name) => registry.absent?.arrival(name, 'retry'),
    };
  }
  return {
    index: narrowIndex(index, (tool) => bounds.reaches(tool)),
    find: (name) => bounds.find(name),
    tools: () => bounds.tools(),
    arrival: (name) => bounds.arrival?.(name),
  };
}

/** Returns an index in which the caller of a call finds only its own tools. */
export function indexFor(index: DiscoveryIndex, context: ToolContext): DiscoveryIndex {
  const bounds = boundsOf(context);
  return bounds === undefined ? index : narrowIndex(index, (tool) => bounds.reaches(tool));
}

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
