import { randomBytes, randomInt } from 'node:crypto';
import { uptime } from 'node:os';

/** The variable in a child's environment by which its descendants are found. */
export const MARKER_VARIABLE = 'PEGBOARD_CALL';

/** What a child hands on to everything it starts, and by which that is found wherever it went. */
export interface CallMark {
  /** In the environment, and in the name of an open file: 32 hexadecimal digits, five for the slack and then random ones. */
  readonly id: string;
  /**
   * A timer slack in nanoseconds that no other running call has; `undefined` where this process could not read it back.
   * Unlike the other two it is not lost when a child empties its environment and closes its files.
   */
  readonly slack: number | undefined;
  /** When the call began, in hundredths of a second since the system started; 0 where no slack is used. */
  readonly since: number;
}

/** The least slack of a call: the system's own is 50,000 ns, and up to twice that is not felt by any program. */
export const LEAST_SLACK = 50_001;
/** The largest slack of a call. */
export const MOST_SLACK = 99_999;
/** The system's clock for starts of processes is coarse. */
const CLOCK_MARGIN = 2;

let lastSlack = 0;

/** Makes the mark of a new call. */
export function createMark(): CallMark {
  // Others' slack can be read with CAP_SYS_NICE only.
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return { id: createId(0), slack: undefined, since: 0 };
  lastSlack = lastSlack === 0 ? randomInt(LEAST_SLACK, MOST_SLACK + 1) : lastSlack + 1;
  if (lastSlack > MOST_SLACK) lastSlack = LEAST_SLACK;
  return { id: createId(lastSlack), slack: lastSlack, since: Math.floor(uptime() * 100) - CLOCK_MARGIN };
}

/** The slack leads, so that an id which a process made up, to pass for one of another call, does not fit its slack. */
function createId(slack: number): string {
  return slack.toString(16).padStart(5, '0') + randomBytes(14).toString('hex').slice(1);
}

/** By what the processes of a call are found on this system. */
export function describeTracking(): string {
  if (process.platform !== 'linux') return 'process group';
  const { slack } = createMark();
  return `process group, parents, environment, open file${slack === undefined ? '' : ', timer slack'}`;
}

/** Adds the marker. A board that runs inside a call keeps the outer id, so that the outer board finds its children. */
export function markEnvironment(env: Readonly<Record<string, string>>, { id }: CallMark): Record<string, string> {
  const outer = process.env[MARKER_VARIABLE];
  return { ...env, [MARKER_VARIABLE]: outer === undefined ? id : `${outer}/${id}` };
}
