/** A call of a program to its host. */
export interface SandboxCall {
  /** Its number among the calls of the program, starting at 1. */
  readonly number: number;
  readonly kind: SandboxCallKind;
  /** The called tool; empty for other functions. */
  readonly name: string;
  /** The arguments as JSON. */
  readonly args: string;
}

/** The functions of a program: calling tools, finding them, reading outputs, sleeping. */
export type SandboxCallKind = 'tool' | 'search' | 'describe' | 'read' | 'sleep';

/** The answer to a call of a program. */
export interface SandboxAnswer {
  readonly number: number;
  /** The time on the program's clock from now on, in milliseconds since 1970. */
  readonly at: number;
  readonly ok: boolean;
  /** The value as JSON, or `{ code, message, … }` of the error. */
  readonly value: string;
}

/** The end of a program. */
export type SandboxEnd =
  /** It returned a value, as JSON; `undefined` if nothing. */
  | { readonly type: 'returned'; readonly value: string | undefined }
  /** It threw an error; `call` is the failed call if its error was not caught. */
  | {
      readonly type: 'threw';
      readonly name: string;
      readonly message: string;
      readonly line: number | undefined;
      readonly call: number | undefined;
    }
  /** The engine rejects its code. */
  | { readonly type: 'unreadable'; readonly message: string; readonly line: number | undefined }
  /** It exceeded a limit. */
  | { readonly type: 'limit'; readonly limit: 'compute' | 'memory' | 'calls' | 'output' }
  /** It waits for a promise that nothing settles. */
  | { readonly type: 'stuck' }
  /** An answer matches none of its calls: the replay differed from the original run. */
  | { readonly type: 'diverged' };

/** The start of a program. */
export interface SandboxStart {
  readonly type: 'start';
  /** JavaScript: the body of an async function. */
  readonly code: string;
  /** The value of `input`, as JSON. */
  readonly input: string;
  /** Seeds all random numbers. */
  readonly seed: number;
  /** The initial time of the clock, in milliseconds since 1970. */
  readonly now: number;
  readonly limits: {
    readonly compute: number;
    readonly memory: number;
    readonly calls: number;
    readonly output: number;
    readonly logs: number;
  };
  /** The snapshot of a program that was stopped before. */
  readonly snapshot?: SandboxSnapshot | undefined;
  /** Answers to give at once, in this order. */
  readonly answers: readonly SandboxAnswer[];
}

export type SandboxOrder =
  /** The compiled engine, sent first. */
  | { readonly type: 'engine'; readonly wasm: object }
  | SandboxStart
  | { readonly type: 'answer'; readonly answers: readonly SandboxAnswer[] }
  | { readonly type: 'snapshot' };

/** A message from the sandbox: a program ran as far as it can without an answer, or its snapshot. */
export type SandboxReport = SandboxTurn | { readonly type: 'snapshot'; readonly snapshot: SandboxSnapshot };

/** A waiting program that another engine of the same build can continue. */
export interface SandboxSnapshot {
  /** The engine's memory. */
  readonly memory: Uint8Array;
  /** Number of calls so far. */
  readonly count: number;
  /** The numbers of calls that wait for an answer, with the sizes of their arguments. */
  readonly waiting: readonly (readonly [number: number, size: number])[];
  readonly logsLeft: number;
  readonly computeLeft: number;
}

/** The events of a program since the last answer. */
export interface SandboxTurn {
  readonly type: 'turn';
  readonly calls: readonly SandboxCall[];
  readonly logs: readonly string[];
  readonly end: SandboxEnd | undefined;
  /** True when the program has ended but the engine still computes: its thread must be terminated. */
  readonly isEarly: boolean;
}
