import type { ExecutorOptions } from '../pipeline/executor-options.ts';
import type { Approve } from '../tool/calls/approval.ts';
import type { BoardMode } from '../load/board-mode.ts';
import type { Assembly } from './assembly/assemble.ts';
import type { BoardResources } from './board-resources.ts';

/** The parts of a live board. */
export interface LiveBoardParts {
  readonly resources: BoardResources;
  /** Reads the files again. */
  readonly read: () => Promise<Assembly>;
  readonly executor: ExecutorOptions;
  /** Asks whoever the board asks directly about calls. */
  readonly approve: Approve | undefined;
  readonly mode: BoardMode;
  /** The folder where relative files are looked for. */
  readonly cwd: string;
}
