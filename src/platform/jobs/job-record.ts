/** The state of a job. `working` without a process that holds it means interrupted: any process may resume it. */
type JobState = 'working' | 'waiting' | JobEnd;

/** The states in which a job stays. */
export type JobEnd = 'done' | 'failed' | 'cancelled';

/** A job as it is stored, without its log and its result. */
export interface JobRecord<Info> {
  readonly id: string;
  /** The caller that it belongs to and is counted for. */
  readonly owner: string;
  readonly state: JobState;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly changedAt: number;
  readonly endedAt?: number | undefined;
  /** The time at which it is forgotten, where that was set when it was created. */
  readonly expiresAt?: number | undefined;
  /** Facts that the users of this kind of job list and change. */
  readonly info: Info;
  /** The number of stored pieces of its attachment. */
  readonly pieces?: number | undefined;
}

/** A message to the process that works on a job. A cancellation stays until the job ends; other wishes are delivered once. */
export type JobWish =
  | { readonly type: 'cancel' }
  | { readonly type: 'answer' | 'input'; readonly values: Readonly<Record<string, unknown>> };

/** The properties that all jobs of one kind share. */
export interface JobKind {
  /** Names its spaces in the store, its channel and its leases. */
  readonly name: string;
  /** Milliseconds for which an open job is kept after its last write. Default: for good. */
  readonly keepOpen?: number | undefined;
  /** Milliseconds for which an ended job and its result are kept. */
  readonly keepEnded: number;
  /** The most that is kept. Default: no limit. */
  readonly limits?: { readonly ofOne: JobShare; readonly ofAll: JobShare } | undefined;
  /**
   * True when entries of a failed write are written again with the next one. Default: a failed write interrupts the job in this process,
   * and its later writes fail too.
   */
  readonly retriesWrites?: boolean | undefined;
}

/** A number of jobs, and bytes of their records and results as stored. */
interface JobShare {
  readonly jobs: number;
  readonly bytes: number;
}

/** The content of a new job. */
export interface JobStart<Info, Entry> {
  readonly owner: string;
  readonly info: Info;
  readonly entries: readonly Entry[];
  /** Forgets the job at this time, in milliseconds since 1970, however it stands. Default: as its kind says. */
  readonly expiresAt?: number | undefined;
}

/** A change of a job's record, written together with the entries that led to it. */
export interface JobChange<Info> {
  readonly state?: 'working' | 'waiting' | undefined;
  readonly info?: Partial<Info> | undefined;
  /** Replaces the attachment. An empty one removes it. */
  readonly attachment?: Uint8Array | undefined;
}

/** True for a job that nothing changes any more. */
export function hasEnded({ endedAt }: Pick<JobRecord<unknown>, 'endedAt'>): boolean {
  return endedAt !== undefined;
}
