import type { Tool } from '../../tool/tool.ts';
import type { ProcessQueue } from '../../platform/process/process-queue.ts';
import type { HttpClients } from '../../platform/http/http-client.ts';
import type { KeptTools } from './make-tools.ts';
import type { BoardFeatures, FeatureBoardOptions } from '../features/board-features.ts';

/** The parts of a board that a reading of its files uses. */
export interface AssembleOptions extends FeatureBoardOptions {
  /** The folder that the caller wants things kept in. */
  readonly data: string | undefined;
  /** The clients of http tools. */
  readonly clients: HttpClients;
  /** The tools of the latest reading of the files that was sound. */
  readonly kept: { latest: KeptTools | undefined };
  /** Tools that code gives the board besides those of the files. */
  readonly tools: readonly Tool[];
  /** The folder with the outputs that are too large to return. */
  readonly outputFolder: string;
  readonly processes: ProcessQueue;
  /** The database that the caller names for what is kept. */
  readonly storeUrl: string | undefined;
  /** `all` goes on after a fault, to tell of later ones too. */
  readonly faults: 'all' | undefined;
  readonly features: BoardFeatures;
  /** Counts the changes that features have reported. */
  readonly changes: () => number;
}
