import type { JobEnd } from '../jobs/job-record.ts';
import type { Job } from '../jobs/job.ts';

/**
 * The status of a run: `running` while a process works on it, `interrupted` when none does and it can be resumed, `waiting` for people.
 * The others are final.
 */
export type RunStatus = 'running' | 'interrupted' | 'waiting' | 'completed' | 'failed' | 'cancelled';

/** A stored run of an agent. */
export interface RunInfo {
  readonly id: string;
  /** The name of the agent. */
  readonly agent: string;
  readonly status: RunStatus;
  /** The user it runs for; empty for the user of the board. */
  readonly caller: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly changedAt: number;
  readonly endedAt?: number;
  /** The conversation it belongs to. */
  readonly session?: string;
  /** The run that started it through a call. */
  readonly parent?: string;
  /** The process that works on it. */
  readonly holder?: string;
  /** The approvals it waits for. */
  readonly waitingFor: readonly string[];
  /** The reason why it was interrupted or ended without an answer. */
  readonly reason?: string;
  /** Its answer, if any. */
  readonly text?: string;
}

/** A call of a run. */
export interface RunCallInfo {
  readonly tool: string;
  /** `ok`, an error code, `waiting` for a person, `started` when its end is unknown, or `open`. */
  readonly outcome: string;
  /** The run it started, if the tool is an agent. */
  readonly run?: string;
}

/** A step of a run: one answer of the model with its calls. */
export interface RunStepInfo {
  /** Counted from 1. */
  readonly number: number;
  readonly calls: readonly RunCallInfo[];
}

/** A run with its steps. */
export interface RunDetails extends RunInfo {
  readonly steps: readonly RunStepInfo[];
}

/** Options for listing runs. */
export interface RunListOptions {
  /** Default: all. */
  readonly status?: RunStatus | undefined;
  /** Only runs of this user. Default: all. */
  readonly caller?: string | undefined;
  /** Only runs started by calls of this run. Default: runs that no run started. */
  readonly parent?: string | undefined;
}

/** The stored agent runs of a board, from all its processes. */
export interface BoardRuns {
  /** Lists runs, the newest first. */
  list(options?: RunListOptions): Promise<RunInfo[]>;
  /** Finds a run by its id. */
  get(id: string): Promise<RunDetails | undefined>;
  /** Cancels a run, even one that another process works on. Returns the cancelled run; `undefined` when there is none. */
  cancel(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<RunInfo | undefined>;
  /**
   * @internal Claims a run for this process, or starts it if `start` is given. Throws `busy` while another process holds it, `not_found`
   * for an unknown run, and `already_exists` for one that was started with other input.
   */
  open(id: string, start?: RunStart): Promise<RunJob>;
  /** @internal Ends a run that this process works on, and the runs that its calls started. */
  end(run: RunJob, state: JobEnd, end: RunEnd & { readonly facts?: Partial<RunFacts> }): Promise<void>;
}

export interface RunStart {
  readonly agent: string;
  readonly input: unknown;
  readonly history: readonly unknown[];
  readonly caller: string;
  readonly session?: string | undefined;
  readonly parent?: string | undefined;
}

/** The facts of a run that lists show. */
export interface RunFacts {
  /** Distinguishes it from an earlier run with the same id. */
  readonly nonce: string;
  readonly agent: string;
  /** A digest of the agent and its input. */
  readonly digest: string;
  readonly session?: string | undefined;
  readonly parent?: string | undefined;
  /** The approvals it waits for. */
  readonly waitingFor: readonly string[];
  readonly reason?: string | undefined;
  readonly text?: string | undefined;
}

export interface RunEnd {
  readonly steps: readonly { readonly number: number; readonly calls: readonly KeptCall[] }[];
  /** The outcome in the agent's own format; missing for a run cancelled from outside. */
  readonly result?: unknown;
}

/** A call in the steps of an ended run. */
interface KeptCall {
  readonly tool: string;
  readonly outcome: string;
  readonly run?: string;
}

/** A run that this process works on. */
export type RunJob = Job<RunFacts, RunEntry, RunEnd>;

/** The position of a call in a run: its step, counted from 1, and its index there, counted from 0. */
export interface CallPlace {
  readonly step: number;
  readonly index: number;
}

/** Formats a position for the id of the run that the call starts. */
export function toPlace({ step, index }: CallPlace): string {
  return `${step}.${index + 1}`;
}

/** An entry of a run's log, written before and after each action. */
export type RunEntry =
  | { readonly type: 'input'; readonly input: unknown; readonly history: readonly unknown[] }
  /** The conversation at the start of its turn. */
  | { readonly type: 'turn'; readonly messages: readonly unknown[]; readonly revision: string | undefined }
  | { readonly type: 'ask'; readonly step: number }
  /** The model has answered. `messages` is the history, if it was shortened before. */
  | {
      readonly type: 'reply';
      readonly step: number;
      readonly reply: unknown;
      readonly tools: readonly string[];
      readonly messages?: readonly unknown[] | undefined;
      readonly extra: unknown;
    }
  /** A tool is about to run. */
  | ({ readonly type: 'call'; readonly tool: string; readonly mayRepeat: boolean } & CallPlace)
  /** The tool has read its idempotency key. */
  | ({ readonly type: 'key' } & CallPlace)
  /** The call waits for people. */
  | ({ readonly type: 'wait'; readonly approvals: readonly string[] } & CallPlace)
  | ({ readonly type: 'result'; readonly outcome: string; readonly answer: unknown } & CallPlace);
