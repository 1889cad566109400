import { CODE_MARK } from '../tool/tool-marks.ts';
import { ToolResult } from '../tool/tool-result.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { Tool } from '../tool/tool.ts';
import { defineTool } from '../tool/define/define-tool.ts';
import { CODE_TOOL, type CodeTarget } from './code-target.ts';
import { callTime, type CodeLimits, limitError, readLimits } from './code-limits.ts';
import { withPrograms } from './with-programs.ts';
import { failedResult, type ProgramOutcome, showConsole, showValue } from './program/program-outcome.ts';

/** Options of `run_code`. */
export interface CodeToolOptions {
  readonly limits?: Partial<CodeLimits> | undefined;
  /** The id of the program of every call. Default: derived from the call's own key, or a new one. */
  readonly id?: string | undefined;
  /** Pauses programs while calls wait for approval. Default: as the call that runs them requests. */
  readonly pauses?: boolean | undefined;
  /** Called with the outcome of a program. */
  readonly onOutcome?: ((outcome: ProgramOutcome) => void) | undefined;
}

const DESCRIPTION = `Run a TypeScript program that calls tools: several calls in one, large results filtered. Only what it returns comes back.
await tools.name(args) gives the result or throws { code, message }; tools.name.try(args) gives { ok, data, error }. Also: search(text), describe(name), input, console.log, sleep(ms), outputs.read(id). No network, files, modules, timers. Use Promise.all. End with return.`;

/**
 * Creates `run_code`. The program's calls are made for its caller, each through the pipeline. The first program loads the code
 * that runs it.
 */
export function createCodeTool(target: CodeTarget, options: CodeToolOptions = {}): Tool {
  const limits = readLimits(options.limits);
  return defineTool({
    ...CODE_MARK,
    name: CODE_TOOL,
    description: DESCRIPTION,
    // A program acts only through its calls, and those are judged one by one.
    risk: 'read',
    timeout: callTime(limits),
    schema: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        input: {},
        resume: { type: 'string', description: 'Id of a waiting program, without code' },
      },
      additionalProperties: false,
    },
    async execute(call, context) {
      if ((call.code ?? '').length > limits.code) return ToolResult.error(limitError('code', limits));
      if ((call.code === undefined) === (call.resume === undefined)) return ToolResult.error(needsOne());
      const outcome = await run(call, { target, limits, context, options });
      options.onOutcome?.(outcome);
      return toResult(outcome);
    },
  });
}

interface CodeCall {
  readonly code?: string;
  readonly input?: unknown;
  readonly resume?: string;
}

interface CodePlace {
  readonly target: CodeTarget;
  readonly limits: CodeLimits;
  readonly context: ToolContext;
  readonly options: CodeToolOptions;
}

async function run(
  { code, input, resume }: CodeCall,
  { target, limits, context, options }: CodePlace,
): Promise<ProgramOutcome> {
  const { approval, idempotencyKey } = context;
  const place = { target, context, pauses: options.pauses ?? approval?.defer ?? false };
  return withPrograms(({ programIdFor, resumeProgram, startProgram }) => {
    if (code === undefined) return resumeProgram(resume ?? '', place);
    const key = approval?.key ?? idempotencyKey;
    const id = options.id ?? (key === undefined ? undefined : programIdFor(key, context));
    const isKept = options.id !== undefined;
    return startProgram({ code, input: JSON.stringify(input) ?? 'null', limits, id, isKept }, place);
  });
}

function needsOne(): ToolError {
  const message = 'run_code needs either code, or resume with the id of a waiting program.';
  return new ToolError({
    code: 'invalid_arguments',
    message,
    toolName: CODE_TOOL,
    field: 'code',
    reason: 'is required',
  });
}

/** Returns the result of `run_code`: the value for the model, and the value with all calls for code. */
function toResult(outcome: ProgramOutcome): ToolResult {
  if (!outcome.ok) return failedResult(outcome, outcome.error);
  const { value, logs, calls } = outcome;
  const text = [showValue(value), ...showConsole(outcome)].join('\n\n');
  return ToolResult.from({ text, data: { value, logs, calls }, meta: { asText: true } });
}
