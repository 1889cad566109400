import { capForModel } from '../../tool/cap-for-model.ts';
import { ToolError, type ToolErrorCode, type ToolIssue } from '../../tool/tool-error.ts';
import { ToolResult, type ToolResultParts } from '../../tool/tool-result.ts';
import type { AgentCall } from '../loop/agent-result.ts';
import { type AgentUsage, NO_USAGE } from '../loop/agent-usage.ts';

/** The stored form of a call's result. */
interface AnswerState {
  readonly callId: string;
  readonly tool: string;
  readonly result: ResultState;
  /** The result the model got, if shorter. */
  readonly shown?: ResultState;
  readonly answeredFrom?: string;
  /** Usage of agents below. */
  readonly used?: AgentUsage;
}

type ResultState = Omit<ToolResultParts, 'error' | 'modelOutput'> & {
  readonly error?: Readonly<Record<string, unknown>>;
  /** True when the rest of its text can be read. */
  readonly isKept?: true;
};

/** A stored result, and the part that the model gets. */
export interface KnownAnswer {
  readonly call: Omit<AgentCall, 'input'>;
  readonly shown: ToolResult;
  readonly used: AgentUsage;
}

/** Converts a result for storage, together with the part that the model gets. */
export function toAnswerState(call: AgentCall, used: AgentUsage): { readonly state: AnswerState; shown: ToolResult } {
  const { callId, tool, result, answeredFrom } = call;
  const shown = capForModel(result);
  const state = {
    callId,
    tool,
    result: toResultState(result),
    ...(shown === result ? {} : { shown: toResultState(shown) }),
    ...(answeredFrom === undefined ? {} : { answeredFrom }),
    ...(used === NO_USAGE ? {} : { used }),
  };
  return { state, shown };
}

/** Reads a stored result. */
export function parseAnswerState(given: unknown): KnownAnswer {
  // Written only by `toAnswerState`.
  const { callId, tool, result, shown, answeredFrom, used } = given as AnswerState;
  const whole = parseResult(result);
  return {
    call: { callId, tool, result: whole, ...(answeredFrom === undefined ? {} : { answeredFrom }) },
    shown: shown === undefined ? whole : parseResult(shown),
    used: parseUsage(used),
  };
}

/** Reads a stored usage: JSON has no `undefined`, so an unknown cost is missing. */
export function parseUsage(given: unknown): AgentUsage {
  // Only usages are stored here.
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
    // The full output was stored when the call ended; this only marks that it can be read.
    modelOutput: isKept === true ? { keep: () => undefined } : undefined,
  });
}

function parseError(state: Readonly<Record<string, unknown>>): ToolError {
  const text = (key: string): string | undefined => (typeof state[key] === 'string' ? state[key] : undefined);
  return new ToolError({
    // Written by an error's `toJSON`.
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
