import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import type { DiscoveryTarget } from '../discovery/meta-tools/discovery-view.ts';

/** The name of the tool that runs programs; reserved on a board with code mode. */
export const CODE_TOOL = 'run_code';

/** The parts of a board that programs use. */
export interface CodeTarget extends DiscoveryTarget {
  /** Stored outputs that were too large to return; a program can read those of its caller. */
  readonly outputs?: OutputStore | undefined;
  /** The store for learned result shapes, opened when a program needs it. Default: nothing is learned. */
  readonly store?: BoardStore | undefined;
  /** The store for programs in progress. Default: programs are not stored and cannot wait for people. */
  readonly sealed?: SealedStore | undefined;
}
