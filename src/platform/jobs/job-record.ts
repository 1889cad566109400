/** The state of a job. `working` without a process that holds it means interrupted: any process may resume it. */
type JobState = 'working' | 'waiting' | JobEnd;

/** The final states of a job. */
export type JobEnd = 'done' | 'failed' | 'cancelled';

/** A job as stored, without its log and result. */
export interface JobRecord<Info> {
  readonly id: string;
  /** The caller that owns the job and whose quota it counts toward. */
  readonly owner: string;
  readonly state: JobState;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changedAt: number;
  readonly endedAt?: number | undefined;
  /** The time at which the job is deleted, if set at creation. */
  readonly expiresAt?: number | undefined;
  /** Facts about the job that its users list and change. */
  readonly info: Info;
  /** The number of stored pieces of its attachment. */
  readonly pieces?: number | undefined;
}

/** A message to the process that works on a job. A cancellation stays until the job ends; others are delivered once. */
export type JobMessage =
  | { readonly type: 'cancel' }
  | { readonly type: 'answer' | 'input'; readonly values: Readonly<Record<string, unknown>> };

/** The properties that all jobs of one kind share. */
export interface JobKind {
  /** Names its spaces in the store, its channel and its leases. */
  readonly name: string;
  /** Milliseconds to keep an open job after its last write. Default: no limit. */
  readonly keepOpen?: number | undefined;
  /** Milliseconds to keep an ended job and its result. */
  readonly keepEnded: number;
  /** Limits for stored jobs. Default: none. */
  readonly limits?: { readonly ofOne: JobShare; readonly ofAll: JobShare } | undefined;
  /**
   * Writes the entries of a failed write again with the next one. Default: a failed write interrupts the job in this process,
   * and its later writes fail too.
   */
  readonly retriesWrites?: boolean | undefined;
}

/** A number of jobs, and bytes of their stored records and results. */
interface JobShare {
  readonly jobs: number;
  readonly bytes: number;
}

/** The content of a new job. */
export interface JobStart<Info, Entry> {
  readonly owner: string;
  readonly info: Info;
  readonly entries: readonly Entry[];
  /** Deletes the job at this time, in milliseconds since 1970, in any state. Default: as its kind says. */
  readonly expiresAt?: number | undefined;
}

/** A change of a job's record, written together with the entries that led to it. */
export interface JobChange<Info> {
  readonly state?: 'working' | 'waiting' | undefined;
  readonly info?: Partial<Info> | undefined;
  /** Replaces the attachment. An empty one removes it. */
  readonly attachment?: Uint8Array | undefined;
}

/** Returns true for a job in a final state. */
export function hasEnded({ endedAt }: Pick<JobRecord<unknown>, 'endedAt'>): boolean {
  return endedAt !== undefined;
}
