import { ToolError } from '../../tool/tool-error.ts';
import { TaskThread } from '../../platform/process/task-thread.ts';
import { findThreadProgram } from '../../platform/process/thread-program.ts';
import { parseJavaScript } from './parse-program.ts';
import { type ProgramReading, readProgram } from './read-program.ts';

/** Programs up to this many characters are read directly, which takes a few milliseconds at most. */
const SHORT = 10_000;
/** Milliseconds that reading one program may take. */
const PATIENCE = 30_000;
/** Programs that may wait for a thread. */
const MAX_WAITING = 64;
const create = (): TaskThread<string, ProgramReading> =>
  new TaskThread({
    program: () => findThreadProgram('program-reader-worker', import.meta.url),
    name: 'pegboard-program-reader',
    patience: PATIENCE,
    memory: 256,
    queue: MAX_WAITING,
  });

/** Separate threads, so that short programs do not wait for long ones. */
const threads = { short: create(), long: create() };

/**
 * Reads a program: short JavaScript directly, everything else in a thread, because it may take seconds or break the type
 * stripper. Callers take turns.
 */
export async function readProgramInTurn(code: string, caller: string): Promise<ProgramReading> {
  if (code.length > SHORT) return readIn(threads.long, code, caller);
  const parsed = parseJavaScript(code);
  return parsed.ok ? readProgram(code, parsed) : readIn(threads.short, code, caller);
}

async function readIn(
  thread: TaskThread<string, ProgramReading>,
  code: string,
  caller: string,
): Promise<ProgramReading> {
  const end = await thread.run(code, caller);
  if (end.type === 'done') return end.answer;
  if (end.type === 'failed') throw unreadable();
  const message = `Too many programs are waiting to be read. Try again later, or send a shorter program.`;
  throw new ToolError({ code: 'busy', message });
}

function unreadable(): ToolError {
  const message = `The program was not run: reading it takes too much time or memory, as with very deeply nested code. Send a shorter program, and pass data as input.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'code' });
}
