import type { HttpClient } from '../platform/http/http-client.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { ProcessQueue } from '../platform/process/process-queue.ts';
import type { Spawner } from '../platform/process/spawn/spawner.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';

/** What the board lends its kinds: everything that is not in the config file. */
export interface KindHost {
  /** The board's own environment, from which commands get what they may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where commands run unless their config says otherwise. */
  readonly cwd: string;
  /** The folder for what the board keeps between runs; not made yet. */
  readonly data: string;
  /** Aborts when the board is closed: nothing it started goes on. */
  readonly closed: AbortSignal;
  /** Where outputs over the cap are kept; none when the board has no place for them. */
  readonly outputs: OutputStore | undefined;
  readonly spawner: Spawner | undefined;
  /** Where commands wait for their place. */
  readonly processes: ProcessQueue;
  /** What every command is started through, such as `docker run … image`; empty for commands of this machine. */
  readonly prefix: readonly string[];
  /** The client for tools that may reach these private hosts; one for all with the same. */
  httpClient(allowHosts: readonly string[]): HttpClient;
  /** The collections of the config; loaded when first asked for. */
  knowledge(): Promise<Knowledge>;
}

/** Something wrong in an entry that its schema cannot see; the path is below the entry. */
export interface EntryFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** `error` when it is not said; a board with a warning loads. */
  readonly severity?: 'warning';
}
