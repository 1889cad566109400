import type { StartFailure } from './start-failures.ts';
import type { UpstreamStatus } from './upstream-server.ts';

/** How a server is doing, all its processes taken together. */
export interface ServerStatus extends UpstreamStatus {
  /** The processes of it that run, or the connections to it. */
  readonly instances: number;
  /** How its last start failed, here or in an earlier run; `undefined` when it worked since. */
  readonly failure: StartFailure | undefined;
}
