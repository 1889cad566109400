/** What a run keeps of itself from its start to its end. */
export interface RunHeader {
  readonly id: string;
  /** Tells it from an earlier run with the same id. */
  readonly nonce: string;
  readonly agent: string;
  /** Of what it was started with. */
  readonly digest: string;
  readonly caller: string;
  readonly session?: string | undefined;
  readonly parent?: string | undefined;
  readonly startedAt: number;
  readonly changedAt: number;
  readonly endedAt?: number | undefined;
  /** `open` while it may go on at once. */
  readonly state: 'open' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  readonly waitingFor: readonly string[];
  readonly reason?: string | undefined;
  readonly text?: string | undefined;
  /** How it ended, as the agent's room has it. */
  readonly result?: unknown;
  /** Its steps, once the log is deleted. */
  readonly steps?: readonly { readonly number: number; readonly calls: readonly KeptCall[] }[] | undefined;
}

/** A call in the steps of a run that has ended. */
interface KeptCall {
  readonly tool: string;
  readonly outcome: string;
  readonly run?: string;
}

/** Where a call of a run stands: its step, counted from 1, and its place there, counted from 0. */
export interface CallPlace {
  readonly step: number;
  readonly index: number;
}

/** A line of a run's log: written before and after each thing that it does. */
export type RunEntry =
  /** What it was started with. */
  | { readonly type: 'input'; readonly input: unknown; readonly history: readonly unknown[] }
  /** The conversation that its turn began with. */
  | { readonly type: 'turn'; readonly messages: readonly unknown[]; readonly revision: string | undefined }
  /** The model is asked. */
  | { readonly type: 'ask'; readonly step: number }
  /** The model has answered. `messages` is the history, where it was made shorter before that. */
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
