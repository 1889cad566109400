import type { RequestNoter } from '../tool/calls/call-requests.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';

/**
 * A part of a call whose time is told apart: its check, hooks, guards, the wait for a person, the wait for a slot, the tool
 * itself, and the shaping of its result.
 */
export type CallStage = 'check' | 'hooks' | 'guard' | 'person' | 'queue' | 'run' | 'shape';

/** A call that begins. */
export interface BegunCall {
  /** The tool, or the name of one that is not there. */
  readonly tool: Tool | string;
  readonly callId: string;
  readonly args: unknown;
  readonly context: ToolContext;
}

/** Keeps a record of calls. */
export interface CallRecorder {
  /** Begins the record of a call; gives nothing for one that is not recorded. */
  begin(call: BegunCall): CallTrail | undefined;
  /** Begins the record of a run of an agent; gives nothing for one that is not recorded. */
  beginRun?(run: BegunRun): RunTrail | undefined;
}

/** A run of an agent that begins, or goes on. */
export interface BegunRun {
  readonly agent: string;
  /** The id of a run that is kept; others get one. */
  readonly id?: string | undefined;
  /** The context that the run was started with: the call that it was started in, and for whom. */
  readonly context: ToolContext;
}

/** What is told of a run or a step besides its times. */
export interface RunFacts {
  /** How many steps a run took. */
  readonly steps?: number | undefined;
  /** Tokens and cost. */
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
}

/** The record of one run while it goes on. */
export interface RunTrail {
  /** The record's own id, which its steps name as their parent. */
  readonly id: string;
  /** Notes that a step begins; the one before it ends with these facts. Gives the step's id: its calls name it as their parent. */
  step(number: number, before?: RunFacts): string;
  /** Notes how the run ended, and with it its last step. */
  end(outcome: string, facts: RunFacts, last?: RunFacts): void;
}

/** The record of one call that notes a request with one object; that of others gives a function. */
export interface RequestTrail extends CallTrail, Pick<RequestNoter, 'startRequest'> {}

/** Whether a record notes requests with one object. */
export function isRequestTrail(trail: CallTrail | undefined): trail is RequestTrail {
  return trail !== undefined && 'startRequest' in trail;
}

/** The record of one call while it runs. */
export interface CallTrail {
  /** The record's own id: calls that are made inside of this one name it as their parent. */
  readonly id: string;
  /** Waited for before the tool runs; rejects with why it must not. Missing for most calls. */
  readonly beforeRun?: (() => Promise<void>) | undefined;
  /** Notes that an attempt failed and another one follows. */
  attempt?(number: number, error: ToolError): void;
  /** Notes a request to a server; gives a function that notes how it ended. */
  request?(to: string): (outcome: string) => void;
  /** Notes that a stage begins; the one before it ends. */
  enter(stage: CallStage): void;
  /** Adds a line about a question to a person; resolves once it would outlive a power cut. */
  note?(type: 'waiting' | 'answered', facts: Readonly<Record<string, unknown>>): Promise<void>;
  end(result: ToolResult): void;
}
