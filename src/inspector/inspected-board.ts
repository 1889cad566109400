import type { Board } from '../board/open-board.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';

/** What is inspected: a board as `openBoard` gives it, or as much of one as there is. */
export interface InspectedBoard {
  readonly registry: ToolRegistry;
  readonly index: ToolIndex;
  readonly pinned?: readonly string[];
  /** Tells of reloads, where the board has files. */
  readonly on?: Board['on'];
  readonly files?: readonly { readonly name: string; readonly serve?: Readonly<Record<string, unknown>> }[];
}

/** A registry by itself is a board too; its index ends with `close`. */
export function toInspectedBoard(given: InspectedBoard | ToolRegistry): {
  readonly board: InspectedBoard;
  readonly close: () => void;
} {
  if (!(given instanceof ToolRegistry)) return { board: given, close: () => {} };
  const index = ToolIndex.from(given);
  return { board: { registry: given, index }, close: () => index.close() };
}
