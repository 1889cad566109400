import type { JobEnd } from '../jobs/job-record.ts';
import type { RunEnd, RunFacts, RunJob, RunStart } from './run-entry.ts';

/**
 * The status of a run: `running` while a process works on it; `interrupted` when none does and it can be resumed; `waiting` for people;
 * the others are its end.
 */
export type RunStatus = 'running' | 'interrupted' | 'waiting' | 'completed' | 'failed' | 'cancelled';

/** A run of an agent that is kept. */
export interface RunInfo {
  readonly id: string;
  /** The name of the agent. */
  readonly agent: string;
  readonly status: RunStatus;
  /** The user it runs for; empty for the user of the board. */
  readonly caller: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly changedAt: number;
  readonly endedAt?: number;
  /** The conversation that it belongs to. */
  readonly session?: string;
  /** The run whose call it is. */
  readonly parent?: string;
  /** The process that works on it. */
  readonly holder?: string;
  /** The approvals that it waits for. */
  readonly waitingFor: readonly string[];
  /** The reason why it was interrupted, or ended without an answer. */
  readonly reason?: string;
  /** Its answer, when it has one. */
  readonly text?: string;
}

/** A call of a run. */
export interface RunCallInfo {
  readonly tool: string;
  /** `ok`, the code of an error, `waiting` for a person, `started` when nothing is known of its end, or `open`. */
  readonly outcome: string;
  /** The run that it began, where the tool is an agent. */
  readonly run?: string;
}

/** A step of a run: one answer of the model, with the calls it wanted. */
export interface RunStepInfo {
  /** Counted from 1. */
  readonly number: number;
  readonly calls: readonly RunCallInfo[];
}

/** A run with its steps. */
export interface RunDetails extends RunInfo {
  readonly steps: readonly RunStepInfo[];
}

/** Selects runs. */
export interface RunListOptions {
  /** Only those with this status. Default: all. */
  readonly status?: RunStatus | undefined;
  /** Only those of this user. Default: of all. */
  readonly caller?: string | undefined;
  /** Only those that calls of this run began. Default: those that no run began. */
  readonly parent?: string | undefined;
}

/** The runs of agents that a board keeps, by all its processes. */
export interface BoardRuns {
  /** Runs, the newest first. */
  list(options?: RunListOptions): Promise<RunInfo[]>;
  /** A run by its id, or `undefined`. */
  get(id: string): Promise<RunDetails | undefined>;
  /** Ends a run for good, even one that another process works on. Returns the run as it is then; `undefined` when there is none. */
  cancel(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<RunInfo | undefined>;
  /**
   * @internal Takes a run up for this process, or starts it where `start` is given. Throws `busy` while another holds it, `not_found`
   * without one, and `already_exists` for one that was started with something else.
   */
  open(id: string, start?: RunStart): Promise<RunJob>;
  /** @internal Ends a run that this process works on, and those that its calls began. */
  end(run: RunJob, state: JobEnd, end: RunEnd & { readonly facts?: Partial<RunFacts> }): Promise<void>;
}
