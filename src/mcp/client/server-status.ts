import type { StartFailure } from './start-failures.ts';
import type { UpstreamStatus } from './upstream-server.ts';

/** The state of a server, all its processes taken together. */
export interface ServerStatus extends UpstreamStatus {
  /** The processes of it that run, or the connections to it. */
  readonly instances: number;
  /** The failure of its last start, here or in an earlier run; `undefined` when it worked since. */
  readonly failure: StartFailure | undefined;
}

/** Of the states that its processes are in, a server shows the first. */
const STATES = ['running', 'starting', 'failing'] as const;

/** Derives the state of a server from the states of its processes. */
export function joinStatus(
  all: readonly UpstreamStatus[],
  { failure, pastStarts }: { readonly failure: StartFailure | undefined; readonly pastStarts: number },
): ServerStatus {
  const running = all.filter(({ state }) => state === 'running');
  const asleep = failure === undefined ? 'stopped' : 'failing';
  return {
    state: STATES.find((state) => all.some((status) => status.state === state)) ?? asleep,
    failure,
    pid: running[0]?.pid,
    starts: all.reduce((sum, { starts }) => sum + starts, pastStarts),
    errors: all.flatMap(({ errors }) => errors),
    instances: running.length,
  };
}
