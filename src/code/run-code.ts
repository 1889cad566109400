import { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { OWNER_KEY } from '../tool/calls/call-owner.ts';
import type { CancelSignal } from '../tool/calls/cancellation.ts';
import { bindTool } from '../tool/define/make-tool.ts';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import type { CodeLimits } from './code-limits.ts';
import { createCodeTool } from './code-tool.ts';
import { toTarget } from './code-tools.ts';
import type { ProgramCall, ProgramOutcome, WaitingCall } from './program/program-outcome.ts';

/** Options of `runCode`. */
export interface RunCodeOptions {
  /** The value of `input` in the program; any JSON value. */
  readonly input?: unknown;
  /** The program's limits. */
  readonly limits?: Partial<CodeLimits>;
  /** The caller that the calls are made for, if callers are distinguished. */
  readonly caller?: string;
  /** Metadata for the context of all calls. */
  readonly context?: ToolContext | Readonly<Record<string, unknown>>;
  /** The caller's id for the program: running it again under the same id resumes it or returns its result. Default: a new one. */
  readonly id?: string;
  /** Pauses the program while calls wait for approval, and returns `waiting`. Default: `false`, each call asks and waits. */
  readonly pause?: boolean;
  /** Ends the program. */
  readonly signal?: CancelSignal;
}

/** The end of a program, or the calls it waits for. */
export type CodeResult = {
  /** The output of `console.log`. */
  readonly logs: readonly string[];
  /** The tool calls it made. */
  readonly calls: readonly ProgramCall[];
  /** The id for `resumeCode`. */
  readonly id: string;
} & (
  | { readonly ok: true; readonly value: unknown; readonly error?: undefined; readonly waiting?: undefined }
  | {
      readonly ok: false;
      readonly error: ToolError;
      readonly value?: undefined;
      /** The calls that wait for approval. Once they are answered, `resumeCode` continues. */
      readonly waiting?: readonly WaitingCall[] | undefined;
    }
);

/**
 * Runs a TypeScript or JavaScript program that calls the tools of a board. Never throws for failures of the program.
 *
 * The program runs in a sandbox: it can reach only the tools, and each call goes through the board's pipeline. Policies judge the
 * program as a call of `run_code`, and each call in it under its own name.
 * @example
 * const board = await openBoard('pegboard.yaml');
 * const result = await runCode(board, `
 *   const commits = await tools.git_log({ max_count: input.count });
 *   return commits.split('\\n').length;
 * `, { input: { count: 20 } });
 * if (result.ok) console.log(result.value);
 */
export async function runCode(board: BoardLike, code: string, options: RunCodeOptions = {}): Promise<CodeResult> {
  return execute(board, { code, input: options.input }, options);
}

/**
 * Resumes a program that waits for people or whose process was killed, in any process of the board. For a day, a finished program
 * returns its result again. Resuming twice is harmless.
 *
 * The program continues from its own log: answered calls are not repeated. A call that was running and must not be repeated
 * throws `outcome_unknown` in the program.
 * @example
 * const result = await runCode(board, 'return await tools.send_mail({ to: input })', { input: 'a@example.com', pause: true });
 * for (const { approvalId } of result.waiting ?? []) await board.approvals.answer(approvalId, { allow: true });
 * if (result.waiting !== undefined) console.log(await resumeCode(board, result.id, { pause: true }));
 */
export async function resumeCode(
  board: BoardLike,
  id: string,
  options: Omit<RunCodeOptions, 'input' | 'limits' | 'id'> = {},
): Promise<CodeResult> {
  return execute(board, { resume: id }, options);
}

async function execute(
  board: BoardLike,
  call: { readonly code?: string; readonly input?: unknown; readonly resume?: string },
  options: RunCodeOptions,
): Promise<CodeResult> {
  const parts = toBoardParts(board, 'runCode');
  const { registry, index = ToolIndex.from(registry) } = parts;
  const { limits, caller, signal, id, pause = false } = options;
  const given = ToolContext.from(options.context);
  const context = caller === undefined ? given : given.mergeMetadata({ [OWNER_KEY]: caller });
  let outcome: ProgramOutcome | undefined;
  const settings = { limits, id, pauses: pause, onOutcome: (ended: ProgramOutcome) => (outcome = ended) };
  const tool = createCodeTool(toTarget(parts, { registry, index }), settings);
  const { executor } = registry;
  const result = await executor.execute(bindTool(tool, executor), call, { context, signal });
  // Removes secrets from everything that is returned.
  const { logs, calls, waiting } = executor.redactor.part({
    logs: outcome?.logs ?? [],
    calls: outcome?.calls ?? [],
    waiting: outcome?.ok === false ? outcome.waiting : undefined,
  });
  const name = outcome?.id ?? call.resume ?? id ?? '';
  if (!result.ok) return { ok: false, error: result.error, logs, calls, id: name, waiting };
  return { ok: true, value: executor.redact(outcome?.ok === true ? outcome.value : undefined), logs, calls, id: name };
}
