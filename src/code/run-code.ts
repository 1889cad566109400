import { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { OWNER_KEY } from '../tool/call-owner.ts';
import type { CancelSignal } from '../tool/cancellation.ts';
import { bindTool } from '../tool/define/bind-tool.ts';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import type { CodeLimits } from './code-limits.ts';
import { createCodeTool } from './code-tool.ts';
import { toTarget } from './code-tools.ts';
import type { ProgramCall, ProgramOutcome } from './program/program-outcome.ts';

/** How a program is run. */
export interface RunCodeOptions {
  /** The value of `input` in the program; what JSON can carry. */
  readonly input?: unknown;
  /** What the program may use. */
  readonly limits?: Partial<CodeLimits>;
  /** Whom the program's calls are made for, where callers are told apart. */
  readonly caller?: string;
  /** Metadata for the context of all calls. */
  readonly context?: ToolContext | Readonly<Record<string, unknown>>;
  /** Ends the program. */
  readonly signal?: CancelSignal;
}

/** How a program ended: with a value, or with an error. */
export type CodeResult = {
  /** What it wrote with `console.log`. */
  readonly logs: readonly string[];
  /** The calls of tools that it made. */
  readonly calls: readonly ProgramCall[];
} & (
  | { readonly ok: true; readonly value: unknown; readonly error?: undefined }
  | { readonly ok: false; readonly error: ToolError; readonly value?: undefined }
);

/**
 * Runs a program in TypeScript or JavaScript that calls the tools of a board. Never throws for what the program does.
 *
 * It runs in a sandbox: the tools are all it reaches, each call goes through the board's pipeline. Policies judge the program as a
 * call of `run_code`, and each call in it under its own name.
 *
 * @example
 * const board = await openBoard('pegboard.yaml');
 * const result = await runCode(board, `
 *   const commits = await tools.git_log({ max_count: input.count });
 *   return commits.split('\\n').length;
 * `, { input: { count: 20 } });
 * if (result.ok) console.log(result.value);
 */
export async function runCode(board: BoardLike, code: string, options: RunCodeOptions = {}): Promise<CodeResult> {
  const parts = toBoardParts(board, 'runCode');
  const { registry, index = ToolIndex.from(registry) } = parts;
  const { input, limits, caller, signal } = options;
  const given = ToolContext.from(options.context);
  const context = caller === undefined ? given : given.mergeMetadata({ [OWNER_KEY]: caller });
  let outcome: ProgramOutcome | undefined;
  const tool = createCodeTool(toTarget(parts, { registry, index }), {
    limits,
    onOutcome: (ended) => (outcome = ended),
  });
  const { executor } = registry;
  const result = await executor.execute(bindTool(tool, executor), { code, input }, { context, signal });
  // What the program did has no secrets either, whichever way it is told.
  const { logs, calls } = executor.redactor.part({ logs: outcome?.logs ?? [], calls: outcome?.calls ?? [] });
  if (!result.ok) return { ok: false, error: result.error, logs, calls };
  return { ok: true, value: executor.redact(outcome?.ok === true ? outcome.value : undefined), logs, calls };
}
