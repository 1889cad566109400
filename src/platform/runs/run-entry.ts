import type { Job } from '../jobs/job.ts';

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
  /** The input of the run. */
  | { readonly type: 'input'; readonly input: unknown; readonly history: readonly unknown[] }
  /** The conversation at the start of its turn. */
  | { readonly type: 'turn'; readonly messages: readonly unknown[]; readonly revision: string | undefined }
  /** The model is asked. */
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
  /** The call has its answer. */
  | ({ readonly type: 'result'; readonly outcome: string; readonly answer: unknown } & CallPlace);
