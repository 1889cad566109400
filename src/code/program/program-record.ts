import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { clientOf, describeCaller } from '../../tool/calls/call-owner.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { TOOL_ERROR_CODES, ToolError, type ToolErrorCode } from '../../tool/tool-error.ts';
import type { SandboxAnswer, SandboxCall } from '../sandbox/sandbox-messages.ts';
import type { ProgramCall, ProgramOutcome, WaitingCall } from './program-outcome.ts';
import type { CodeLimits } from '../code-limits.ts';

/** The caller of a program: only this caller may resume it. */
interface ProgramOwner {
  readonly user: string;
  /** The limits of the caller's reach; empty for a caller that reaches everything its user does. */
  readonly bounds: string;
}

/** Returns the caller of a context as the owner of its programs. */
export function programOwner(context: ToolContext): ProgramOwner {
  return { user: clientOf(context).user, bounds: boundsOf(context) === undefined ? '' : describeCaller(context) };
}

/** A stored program; deleted a day after its end. */
export interface ProgramRecord extends Program {
  /** The code as it was sent. */
  readonly source: string;
  readonly owner: ProgramOwner;
  /** The tools it may call. Default: all that its caller may call. */
  readonly tools?: readonly string[] | undefined;
  /** While it waits: the calls that need approval, and the facts of its snapshot. */
  readonly held?: readonly HeldCall[] | undefined;
  readonly snapshot?: KeptSnapshot | undefined;
}

/** A call that waits for approval. */
export interface HeldCall extends WaitingCall {
  readonly call: SandboxCall;
}

/** The facts about a program's stored memory. */
interface KeptSnapshot {
  /** The build of the engine that can continue it. */
  readonly engine: string;
  /** The number of log answers it contains. */
  readonly answered: number;
  readonly count: number;
  readonly waiting: readonly (readonly [number: number, size: number])[];
  readonly logsLeft: number;
  readonly computeLeft: number;
  /** The time on the program's clock. */
  readonly now: number;
  readonly logs: readonly string[];
}

export type LogEntry =
  /** A call that must not be repeated is about to run. */
  | { readonly type: 'begun'; readonly number: number }
  /** It did not run: its client is asked something first, and the call is made again then. */
  | { readonly type: 'retracted'; readonly number: number }
  /** A call was answered, and the program has the answer or is about to get it. */
  | { readonly type: 'answer'; readonly answer: SandboxAnswer; readonly call?: ProgramCall | undefined };

/** The stored form of an outcome. */
export interface KeptOutcome {
  readonly ok: boolean;
  readonly value?: unknown;
  readonly error?: Readonly<Record<string, unknown>> | undefined;
  readonly logs: readonly string[];
  readonly calls: readonly ProgramCall[];
}

export function toKept(outcome: ProgramOutcome): KeptOutcome {
  const { logs, calls } = outcome;
  if (outcome.ok) return { ok: true, value: outcome.value, logs, calls };
  return { ok: false, error: outcome.error.toJSON(), logs, calls };
}

export function fromKept({ ok, value, error, logs, calls }: KeptOutcome, id: string): ProgramOutcome {
  return ok ? { ok: true, value, logs, calls, id } : { ok: false, error: parseError(error), logs, calls, id };
}

/** Creates an error from the JSON of an error or of a program's answer. */
export function parseError(value: unknown): ToolError {
  const { code, message, tool, issues, recoverable } = isPlainObject(value) ? value : {};
  const known = TOOL_ERROR_CODES.find((one) => one === code);
  return new ToolError({
    code: known ?? ('execution_failed' satisfies ToolErrorCode),
    message: typeof message === 'string' ? message : 'The call failed.',
    toolName: typeof tool === 'string' ? tool : undefined,
    // Written by this package.
    issues: Array.isArray(issues) ? (issues as ToolError['issues']) : [],
    recoverable: recoverable === true,
  });
}

/** A checked program with everything that determines its execution. */
export interface Program {
  readonly id: string;
  /** JavaScript. */
  readonly code: string;
  /** The value of `input`, as JSON. */
  readonly input: string;
  readonly seed: number;
  /** Start time in milliseconds since 1970. */
  readonly startedAt: number;
  readonly limits: CodeLimits;
}
