import type { Job } from '../jobs/job.ts';

/** The input of a new run. */
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
  /** Tells it from an earlier run with the same id. */
  readonly nonce: string;
  readonly agent: string;
  /** A digest of the agent and the input it was started with. */
  readonly digest: string;
  readonly session?: string | undefined;
  readonly parent?: string | undefined;
  /** The approvals that it waits for. */
  readonly waitingFor: readonly string[];
  readonly reason?: string | undefined;
  readonly text?: string | undefined;
}

/** The end of a run. */
export interface RunEnd {
  readonly steps: readonly { readonly number: number; readonly calls: readonly KeptCall[] }[];
  /** The outcome as the agent's room has it; missing for a run that was cancelled from outside. */
  readonly result?: unknown;
}

/** A call in the steps of a run that has ended. */
interface KeptCall {
  readonly tool: string;
  readonly outcome: string;
  readonly run?: string;
}

/** A run that this process works on. */
export type RunJob = Job<RunFacts, RunEntry, RunEnd>;

/** The place of a call in a run: its step, counted from 1, and its place there, counted from 0. */
export interface CallPlace {
  readonly step: number;
  readonly index: number;
}

/** The place of a call in the id of the run that it begins. */
export function toPlace({ step, index }: CallPlace): string {
  return `${step}.${index + 1}`;
}

/** A line of a run's log: written before and after each thing that it does. */
export type RunEntry =
  /** The input of the run. */
  | { readonly type: 'input'; readonly input: unknown; readonly history: readonly unknown[] }
  /** The conversation that its turn began with. */
  | { readonly type: 'turn'; readonly messages: readonly unknown[]; readonly revision: string | undefined }
  /** The model is asked. */
  | { readonly type: 'ask'; readonly step: number }
  /** The model has answered. `messages` is the history, where it was shortened before that. */
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
  /** The call has its answer. */
  | ({ readonly type: 'result'; readonly outcome: string; readonly answer: unknown } & CallPlace);
