import { capForModel } from '../../tool/cap-for-model.ts';
import { ToolError, type ToolErrorCode, type ToolIssue } from '../../tool/tool-error.ts';
import { ToolResult, type ToolResultParts } from '../../tool/tool-result.ts';
import type { AgentCall } from '../loop/agent-result.ts';
import { type AgentUsage, NO_USAGE } from '../loop/agent-usage.ts';

/** An answer to a call as a run keeps it. */
interface AnswerState {
  readonly callId: string;
  readonly tool: string;
  readonly result: ResultState;
  /** What the model got, where that was less. */
  readonly told?: ResultState;
  readonly answeredFrom?: string;
  /** What agents below used. */
  readonly used?: AgentUsage;
}

type ResultState = Omit<ToolResultParts, 'error' | 'modelOutput'> & {
  readonly error?: Readonly<Record<string, unknown>>;
  /** Whether the rest of its text can be read. */
  readonly isKept?: true;
};

/** An answer to a call, and what the model gets of it. */
export interface KnownAnswer {
  readonly call: Omit<AgentCall, 'input'>;
  readonly told: ToolResult;
  readonly used: AgentUsage;
}

/** An answer as it is kept, with what the model gets of it. */
export function toAnswerState(call: AgentCall, used: AgentUsage): { readonly state: AnswerState; told: ToolResult } {
  const { callId, tool, result, answeredFrom } = call;
  const told = capForModel(result);
  const state = {
    callId,
    tool,
    result: toResultState(result),
    ...(told === result ? {} : { told: toResultState(told) }),
    ...(answeredFrom === undefined ? {} : { answeredFrom }),
    ...(used === NO_USAGE ? {} : { used }),
  };
  return { state, told };
}

/** An answer as it was kept. */
export function parseAnswerState(given: unknown): KnownAnswer {
  // Only `toAnswerState` writes it.
  const { callId, tool, result, told, answeredFrom, used } = given as AnswerState;
  const whole = parseResult(result);
  return {
    call: { callId, tool, result: whole, ...(answeredFrom === undefined ? {} : { answeredFrom }) },
    told: told === undefined ? whole : parseResult(told),
    used: parseUsage(used),
  };
}

/** A usage as it was kept: JSON has no `undefined`, so a cost that is not known is missing. */
export function parseUsage(given: unknown): AgentUsage {
  // Only usages are kept there.
  const usage = given as AgentUsage | undefined;
  return usage === undefined ? NO_USAGE : { ...NO_USAGE, ...usage, cost: usage.cost };
}

function toResultState({ text, data, content, error, meta, modelOutput }: ToolResult): ResultState {
  return {
    text,
    ...(data === undefined ? {} : { data }),
    ...(content === undefined ? {} : { content }),
    ...(error === undefined ? {} : { error: error.toJSON() }),
    meta,
    ...(modelOutput?.keep === undefined ? {} : { isKept: true }),
  };
}

function parseResult({ error, isKept, ...parts }: ResultState): ToolResult {
  return ToolResult.from({
    ...parts,
    error: error === undefined ? undefined : parseError(error),
    // What was to be kept was kept when the call ended; here it only says that there is something to read.
    modelOutput: isKept === true ? { keep: () => undefined } : undefined,
  });
}

function parseError(state: Readonly<Record<string, unknown>>): ToolError {
  const text = (key: string): string | undefined => (typeof state[key] === 'string' ? state[key] : undefined);
  return new ToolError({
    // `toJSON` of an error wrote these.
    code: state['code'] as ToolErrorCode,
    message: text('message') ?? '',
    toolName: text('tool'),
    field: text('field'),
    reason: text('reason'),
    issues: state['issues'] as ToolIssue[] | undefined,
    recoverable: state['recoverable'] === true,
    approvalId: text('approvalId'),
    loginUrl: text('loginUrl'),
    protocol: state['protocol'] as ToolError['protocol'],
  });
}
