import { randomBytes, randomInt } from 'node:crypto';
import { uptime } from 'node:os';

/** The environment variable that identifies the descendants of a call. */
export const MARKER_VARIABLE = 'PEGBOARD_CALL';

/** A mark that all descendants of a child inherit and by which they are found. */
export interface CallMark {
  /** 32 hexadecimal digits in the environment and in the name of an open file: five for the slack, then random ones. */
  readonly id: string;
  /**
   * A timer slack in nanoseconds that no other running call has; `undefined` if this process cannot read it. Unlike the other two, it
   * survives when a child clears its environment and closes its files.
   */
  readonly slack: number | undefined;
  /** The start of the call, in hundredths of a second since system start; 0 when no slack is used. */
  readonly since: number;
}

/** The smallest slack of a call. The system's default is 50,000 ns, and programs do not notice up to twice that. */
export const LEAST_SLACK = 50_001;
export const MOST_SLACK = 99_999;
/** The system's clock for process starts is coarse. */
const CLOCK_MARGIN = 2;

let lastSlack = 0;

export function createMark(): CallMark {
  // Reading the slack of other processes requires CAP_SYS_NICE.
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return { id: createId(0), slack: undefined, since: 0 };
  lastSlack = lastSlack === 0 ? randomInt(LEAST_SLACK, MOST_SLACK + 1) : lastSlack + 1;
  if (lastSlack > MOST_SLACK) lastSlack = LEAST_SLACK;
  return { id: createId(lastSlack), slack: lastSlack, since: Math.floor(uptime() * 100) - CLOCK_MARGIN };
}

/** Creates an id that starts with the slack, so that an id forged by a process does not match its slack. */
function createId(slack: number): string {
  return slack.toString(16).padStart(5, '0') + randomBytes(14).toString('hex').slice(1);
}

/** Describes how the processes of a call are found on this system. */
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
