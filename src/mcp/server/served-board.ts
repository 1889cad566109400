import type { ToolIndex } from '../../discovery/tool-index.ts';
import type { OutputStore } from '../../platform/outputs/output-store.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';

/** What is served: an open board is one, and so is a registry with an index. */
export interface ServedBoard {
  readonly registry: ToolRegistry;
  /** Finds tools, for clients that get the meta-tools instead of every definition. */
  readonly index?: ToolIndex | undefined;
  /** Names of tools that are listed in every mode. */
  readonly pinned?: readonly string[] | undefined;
  /** Where tasks are kept, so that they survive a restart. */
  readonly store?: BoardStore | undefined;
  /** Outputs that were too large to return; served as resources. */
  readonly outputs?: OutputStore | undefined;
}

/** A registry by itself is a board too; anything without one cannot be served. */
export function toServedBoard(given: ServedBoard | ToolRegistry): ServedBoard {
  if (given instanceof ToolRegistry) return { registry: given };
  // Code without types may pass anything.
  const { registry } = Object(given) as Partial<ServedBoard>;
  if (typeof registry?.on === 'function') return given;
  const message =
    'new McpServer needs tools to serve: pass a board of openBoard, a ToolRegistry, or an object with a registry.';
  throw new ToolError({ code: 'invalid_arguments', message });
}
