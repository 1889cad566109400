import type { ToolIndex } from '../../discovery/tool-index.ts';
import type { OutputStore } from '../../process/output-store.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { BoardStore } from '../../store/board-store.ts';

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
