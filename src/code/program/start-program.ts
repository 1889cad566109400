import { randomBytes, randomInt } from 'node:crypto';
import type { ToolContext } from '../../tool/tool-context.ts';
import { checkProgram } from '../check/check-program.ts';
import type { CodeLimits } from '../code-limits.ts';
import type { CodeTarget } from '../code-tool.ts';
import type { ProgramOutcome } from './program-outcome.ts';
import { openProgramTools } from './program-tools.ts';
import { learnShape } from '../types/learned-shapes.ts';
import { runProgram } from './run-program.ts';

/** A program as it was sent. */
interface SentProgram {
  readonly code: string;
  /** JSON. */
  readonly input: string;
  readonly limits: CodeLimits;
}

const MAX_SEED = 2 ** 48 - 1;

/** What cannot be kept is learned another time: no program waits for it or fails with it. */
async function learn({ store }: CodeTarget, tool: string, value: unknown): Promise<void> {
  try {
    if (store !== undefined) await learnShape(store, tool, value);
  } catch {
    // The store is away, read-only or closed.
  }
}

/** Checks a program and runs it for the caller of a context. Never rejects. */
export async function startProgram(
  { code, input, limits }: SentProgram,
  { target, context }: { readonly target: CodeTarget; readonly context: ToolContext },
): Promise<ProgramOutcome> {
  const id = `program_${randomBytes(12).toString('base64url')}`;
  const tools = openProgramTools(target, context);
  const checked = await checkProgram(code, tools);
  if (!checked.ok) return { ok: false, error: checked.error, logs: [], calls: [], id };
  return runProgram(
    { id, code: checked.code, input, limits, seed: randomInt(1, MAX_SEED), startedAt: Date.now() },
    {
      pipeline: target.registry.executor,
      tools,
      outputs: target.outputs,
      context,
      signal: context.signal,
      learn: (tool, value) => void learn(target, tool, value),
    },
  );
}
