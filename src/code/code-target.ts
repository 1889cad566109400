import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import type { DiscoveryTarget } from '../discovery/meta-tools/discovery-target.ts';

/** The name of the tool that runs programs. No other tool of a board that has it can be called so. */
export const CODE_TOOL = 'run_code';

/** What programs are run with. */
export interface CodeTarget extends DiscoveryTarget {
  /** Outputs that were too large to return; a program reads its caller's. */
  readonly outputs?: OutputStore | undefined;
  /** Where the board keeps what it learns of results; asked for when a program needs it. Default: nothing is kept. */
  readonly store?: BoardStore | undefined;
  /** Where the board keeps programs until they are over. Default: they are not kept, and cannot wait for people. */
  readonly sealed?: SealedStore | undefined;
}
