import type { UpstreamPool } from '../../mcp/client/upstream-pool.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ProcessQueue } from '../../platform/process/process-queue.ts';
import type { StorePlace } from '../../load/store-place.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { HttpClients } from './http-clients.ts';
import type { KeptTools } from './make-tools.ts';
import type { BoardFeatures, FeatureBoardOptions } from '../features/board-features.ts';
import type { ServerMode } from '../servers/live-servers.ts';

/** What a board brings to a reading of its files. */
export interface AssembleOptions extends FeatureBoardOptions {
  /** The folder that the caller wants things kept in. */
  readonly data: string | undefined;
  readonly allowHosts: readonly string[];
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
  /** The board's store, as only processes with the board's key can read it. */
  readonly sealedStore: (place: StorePlace) => SealedStore;
  /** The servers that run; loaded when there is one. */
  readonly pool: (make: () => UpstreamPool) => UpstreamPool;
  readonly serverMode: ServerMode;
  /** `all` goes on after a fault, to tell of later ones too. */
  readonly faults: 'all' | undefined;
  readonly features: BoardFeatures;
  /** Called when a feature wants the list of tools to be composed again. */
  readonly onFeatureChanged: () => void;
}
