import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';

/**
 * A part of a call that is timed separately: check, hooks, guards, waiting for a person, waiting for a slot, the tool itself, and shaping
 * its result.
 */
export type CallStage = 'check' | 'hooks' | 'guard' | 'person' | 'queue' | 'run' | 'shape';

/** A call at its start. */
export interface BegunCall {
  /** The tool, or a name that no tool has. */
  readonly tool: Tool | string;
  readonly callId: string;
  readonly args: unknown;
  readonly context: ToolContext;
}

/** Records calls. */
export interface CallRecorder {
  /** Starts the record of a call; `undefined` for one that is not recorded. */
  begin(call: BegunCall): CallTrail | undefined;
  /** Starts the record of an agent run; `undefined` for one that is not recorded. */
  beginRun?(run: BegunRun): RunTrail | undefined;
}

/** An agent run that starts or resumes. */
export interface BegunRun {
  readonly agent: string;
  /** The id of a stored run; others get a new one. */
  readonly id?: string | undefined;
  /** The context of the run: the call it was started in, and its caller. */
  readonly context: ToolContext;
}

/** Facts about a run or a step, in addition to its times. */
export interface RunFacts {
  /** Number of steps of a run. */
  readonly steps?: number | undefined;
  /** Tokens and cost. */
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
}

/** The record of an agent run in progress. */
export interface RunTrail {
  /** The id of the record, which its steps name as their parent. */
  readonly id: string;
  /** Records the start of a step; the previous one ends with these facts. Returns the step's id, which its calls name as their parent. */
  step(number: number, before?: RunFacts): string;
  /** Records the end of the run and of its last step. */
  end(outcome: string, facts: RunFacts, last?: RunFacts): void;
}

/** The record of a call in progress. */
export interface CallTrail {
  /** The id of the record, which calls inside this one name as their parent. */
  readonly id: string;
  /** Awaited before the tool runs; rejects with the reason if it must not. Missing for most calls. */
  readonly beforeRun?: (() => Promise<void>) | undefined;
  /** Records a failed attempt before a retry. */
  attempt?(number: number, error: ToolError): void;
  /** Records a request to a server. Returns a function that records its end. */
  request?(to: string): (outcome: string) => void;
  /** Records the start of a stage, which ends the previous one. */
  enter(stage: CallStage): void;
  /** Adds a line about a question to a person. Resolves once the line would survive a power cut. */
  note?(type: 'waiting' | 'answered', facts: Readonly<Record<string, unknown>>): Promise<void>;
  end(result: ToolResult): void;
}
