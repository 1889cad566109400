/** What a program asks its host for. */
export interface SandboxCall {
  /** Its number among the calls of the program, from 1 on. */
  readonly number: number;
  readonly kind: SandboxCallKind;
  /** The tool that is called; empty for what is no tool. */
  readonly name: string;
  /** The arguments as JSON. */
  readonly args: string;
}

/** The functions that a program has: tools, finding them, reading outputs, waiting. */
export type SandboxCallKind = 'tool' | 'search' | 'describe' | 'read' | 'sleep';

/** The answer to a call of a program. */
export interface SandboxAnswer {
  readonly number: number;
  /** What the program's clock shows from now on, in milliseconds since 1970. */
  readonly at: number;
  readonly ok: boolean;
  /** The value as JSON, or `{ code, message, … }` of the error. */
  readonly value: string;
}

/** How a program ended. */
export type SandboxEnd =
  /** With a value, as JSON; `undefined` where it returned nothing. */
  | { readonly type: 'returned'; readonly value: string | undefined }
  /** With an error of its own; `call` is the failed call that was not caught, if it is one. */
  | {
      readonly type: 'threw';
      readonly name: string;
      readonly message: string;
      readonly line: number | undefined;
      readonly call: number | undefined;
    }
  /** The engine does not take its code. */
  | { readonly type: 'unreadable'; readonly message: string; readonly line: number | undefined }
  /** It went over a limit. */
  | { readonly type: 'limit'; readonly limit: 'compute' | 'memory' | 'calls' | 'output' }
  /** It waits for a promise that nothing settles. */
  | { readonly type: 'stuck' }
  /** An answer does not belong to a call that it made: it ran otherwise than before. */
  | { readonly type: 'diverged' };

/** How a program begins. */
export interface SandboxStart {
  readonly type: 'start';
  /** JavaScript: the body of an async function. */
  readonly code: string;
  /** The value of `input`, as JSON. */
  readonly input: string;
  /** Decides about all random numbers. */
  readonly seed: number;
  /** What the clock shows first, in milliseconds since 1970. */
  readonly now: number;
  readonly limits: {
    readonly compute: number;
    readonly memory: number;
    readonly calls: number;
    readonly output: number;
    readonly logs: number;
  };
  /** A program that was stopped before, as `snapshot` gave it. */
  readonly snapshot?: SandboxSnapshot | undefined;
  /** Answers to give at once, in this order. */
  readonly answers: readonly SandboxAnswer[];
}

/** What the sandbox is sent. */
export type SandboxOrder =
  /** The compiled engine, before anything else. */
  | { readonly type: 'engine'; readonly wasm: object }
  | SandboxStart
  | { readonly type: 'answer'; readonly answers: readonly SandboxAnswer[] }
  | { readonly type: 'snapshot' };

/** What the sandbox tells: a program has come as far as it can without an answer, or here is its snapshot. */
export type SandboxReport = SandboxTurn | { readonly type: 'snapshot'; readonly snapshot: SandboxSnapshot };

/** A program that waits, as another engine of the same build can go on with it. */
export interface SandboxSnapshot {
  /** The engine's memory. */
  readonly memory: Uint8Array;
  /** Calls so far. */
  readonly count: number;
  /** The numbers of calls that wait for an answer, and the sizes of their arguments. */
  readonly waiting: readonly (readonly [number: number, size: number])[];
  readonly logsLeft: number;
  readonly computeLeft: number;
}

/** What a program did since the last answer. */
export interface SandboxTurn {
  readonly type: 'turn';
  readonly calls: readonly SandboxCall[];
  readonly logs: readonly string[];
  readonly end: SandboxEnd | undefined;
  /** Whether the engine still computes, although the program has ended: its thread must be ended too. */
  readonly isEarly: boolean;
}
