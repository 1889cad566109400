import { isForModels } from '../../tool/app-pages.ts';
import { type CallBounds, boundsOf } from '../../tool/calls/call-bounds.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Absence } from '../../board/registry/absent-tools.ts';
import type { DiscoveryTarget, DiscoveryIndex } from './discovery-target.ts';
import { narrowIndex } from './scope-index.ts';

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
