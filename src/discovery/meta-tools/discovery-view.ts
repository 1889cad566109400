import { isForModels } from '../../tool/app-pages.ts';
import { type CallBounds, boundsOf } from '../../tool/calls/call-bounds.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Absence } from '../../board/registry/absent-tools.ts';
import type { DiscoveryTarget, DiscoveryIndex } from './discovery-target.ts';
import { narrowIndex } from './scope-index.ts';

/** The part of a board that a caller reaches. */
export interface DiscoveryView {
  readonly index: DiscoveryIndex;
  /** The tool that a call of this name reaches. */
  find(name: string): Tool | undefined;
  tools(): readonly Tool[];
  /** Why a tool is not there; only for callers that reach the whole board. */
  explainAbsence?(name: string): Absence | undefined;
  /** Settles when it is decided whether a tool of this name comes; `undefined` where none can. */
  arrival(name: string): Promise<void> | undefined;
}

/** The view of a caller: its own tools and no others. Without a caller, the whole board, but for tools that pages alone may call. */
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

/** An index in which the caller of a call finds its own tools and no others. */
export function indexFor(index: DiscoveryIndex, context: ToolContext): DiscoveryIndex {
  const bounds = boundsOf(context);
  return bounds === undefined ? index : narrowIndex(index, (tool) => bounds.reaches(tool));
}
