import { isPlainObject } from '../tool/json.ts';
import type { AgentResult } from '../agent/loop/agent-result.ts';
import type { FakeTool } from './fake-tool.ts';

/** The calls of a fake or of a run. */
export type CallSource = FakeTool | AgentResult;

/** The result of a check, with a message for its failure. */
export interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

interface SeenCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Checks that a tool was called, with at least these arguments if given. */
export function checkCalled(source: CallSource, tool: string, input?: unknown): Verdict {
  const seen = callsOf(source);
  const pass = seen.some((call) => call.tool === tool && (input === undefined || contains(call.input, input)));
  const wanted = `${tool}${input === undefined ? '' : ` ${JSON.stringify(input)}`}`;
  return { pass, message: () => `Expected ${pass ? 'no call' : 'a call'} ${wanted}. Calls were:\n${listCalls(seen)}` };
}

/** Checks that exactly these tools were called, in this order. */
export function checkCalls(source: CallSource, tools: readonly string[]): Verdict {
  const seen = callsOf(source);
  const pass = JSON.stringify(seen.map(({ tool }) => tool)) === JSON.stringify(tools);
  return {
    pass,
    message: () =>
      `Expected ${pass ? 'other calls than' : 'the calls'} ${tools.join(', ') || 'none'}. Calls were:\n${listCalls(seen)}`,
  };
}

/** Throws unless a tool was called with at least these arguments; for any test runner. */
export function assertCalled(source: CallSource, tool: string, input?: unknown): void {
  const { pass, message } = checkCalled(source, tool, input);
  if (!pass) throw new Error(message());
}

/** Matchers for `expect.extend` of vitest and jest. */
export const toolMatchers = {
  toHaveCalledTool: (source: CallSource, tool: string, input?: unknown): Verdict => checkCalled(source, tool, input),
  toHaveCalledTools: (source: CallSource, tools: readonly string[]): Verdict => checkCalls(source, tools),
  toHaveBeenCalledWithInput: (source: FakeTool, input: unknown): Verdict =>
    checkCalled(source, source.metadata.name, input),
};

/** The types of `toolMatchers`, to add to your test runner's own. */
export interface ToolMatchers<R = unknown> {
  /** Passes if the run or the fake called this tool with at least these arguments. */
  toHaveCalledTool(tool: string, input?: unknown): R;
  /** Passes if the run called exactly these tools, in this order. */
  toHaveCalledTools(tools: readonly string[]): R;
  /** Passes if the fake was called with at least these arguments. */
  toHaveBeenCalledWithInput(input: unknown): R;
}

function callsOf(source: CallSource): SeenCall[] {
  if ('steps' in source) return source.steps.flatMap(({ calls }) => calls);
  return source.calls.map(({ input }) => ({ tool: source.metadata.name, input }));
}

/** Returns true if everything expected is there; supports matchers of the test runner such as `expect.any(String)`. */
function contains(actual: unknown, expected: unknown): boolean {
  if (isMatcher(expected)) return expected.asymmetricMatch(actual);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    const items: unknown[] = actual;
    return expected.every((item, index) => contains(items[index], item));
  }
  if (!isPlainObject(expected)) return Object.is(actual, expected);
  if (!isPlainObject(actual)) return false;
  return Object.entries(expected).every(([key, value]) => contains(actual[key], value));
}

function isMatcher(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'asymmetricMatch' in value &&
    typeof value.asymmetricMatch === 'function'
  );
}

function listCalls(calls: readonly SeenCall[]): string {
  if (calls.length === 0) return '(none)';
  return calls
    .map(({ tool, input }) => `- ${tool} ${typeof input === 'string' ? input : JSON.stringify(input)}`)
    .join('\n');
}
