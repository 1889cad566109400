import { ToolError } from '../../tool/tool-error.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import type { Tool } from '../../tool/tool.ts';
import { checkInput } from '../../pipeline/check-input.ts';
import { DEFAULT_INPUT_LIMITS } from '../../tool/input-limits.ts';
import type { ProgramTools } from '../program/program-tools.ts';
import { MOST_FAULTS, type ProgramReading, readProgram, type ReadUse } from './read-program.ts';
import { findThreadProgram, TaskThread } from '../../platform/process/task-thread.ts';
import { parseJavaScript, type ProgramFault } from './parse-program.ts';

/** A valid program as JavaScript, or an error that lists all its faults. */
type CheckedProgram = { readonly ok: true; readonly code: string } | { readonly ok: false; readonly error: ToolError };

/**
 * Checks a program before it runs: syntax, unknown names, unknown tools, invalid arguments. Reports all faults at once, each with
 * its line. Long programs are read in a thread that callers share in turns.
 */
export async function checkProgram(source: string, tools: ProgramTools, caller = ''): Promise<CheckedProgram> {
  const { code, faults, uses } = await readProgramInTurn(source, caller);
  const found = [...faults, ...(await faultsOfUses(uses, tools))];
  return found.length > 0 || code === undefined ? refuse(source, found) : { ok: true, code };
}

/** Stops one fault after the display limit: explaining unknown tools is expensive. */
async function faultsOfUses(uses: readonly ReadUse[], tools: ProgramTools): Promise<ProgramFault[]> {
  const names = [...new Set(uses.map(({ name }) => name))];
  // Waits for all tools that may still arrive at once.
  await Promise.all(names.map(async (name) => tools.arrival(name)));
  const known = new Map<string, Tool | ToolError>();
  const faults: ProgramFault[] = [];
  for (const use of uses) {
    const tool = known.get(use.name) ?? tools.look(use.name) ?? tools.explain(use.name);
    known.set(use.name, tool);
    const fault = faultOfUse(use, tool);
    if (fault !== undefined && faults.push(fault) > MOST_FAULTS) break;
  }
  return faults;
}

function faultOfUse({ name, line, column, given, extra }: ReadUse, tool: Tool | ToolError): ProgramFault | undefined {
  if (tool instanceof ToolError) return { line, column, message: tool.message };
  if (extra !== undefined)
    return { ...extra, message: `tools.${name} takes one object with all arguments, tools.${name}({ … }).` };
  const message = given === undefined ? undefined : explainMisfit(tool, given);
  return message === undefined || given === undefined ? undefined : { line: given.line, column: given.column, message };
}

/** Explains why the known part of the arguments is invalid; `undefined` if it may be valid. */
function explainMisfit(tool: Tool, { value, holes }: NonNullable<ReadUse['given']>): string | undefined {
  try {
    const checked = checkInput(tool, value, DEFAULT_INPUT_LIMITS, true);
    if (checked instanceof Promise || checked.ok) {
      // Nothing awaits it, so a rejection must not end the process.
      if (checked instanceof Promise) checked.catch(() => {});
      return undefined;
    }
    const issues = checked.issues.filter(({ path }) => !holes.some((hole) => overlaps(path, hole)));
    return issues.length === 0 ? undefined : explainIssues(tool, issues, value).message;
  } catch {
    // The call itself reports a schema that cannot be compiled.
    return undefined;
  }
}

/** True when one path is a prefix of the other. */
function overlaps(path: readonly (string | number)[], hole: readonly (string | number)[]): boolean {
  return path.slice(0, hole.length).every((key, place) => String(key) === String(hole[place]));
}

function refuse(code: string, found: readonly ProgramFault[]): CheckedProgram {
  const faults = found.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MOST_FAULTS);
  const hasMore = found.length > faults.length;
  const lines = code.split('\n');
  const shown = faults.map(({ line, column, message }) => {
    const source = (lines[line - 1] ?? '').trim();
    return `${line}:${column} ${message}\n    ${source.length > 200 ? `${source.slice(0, 200)}…` : source}`;
  });
  const count = hasMore
    ? `more than ${MOST_FAULTS} faults`
    : faults.length === 1
      ? 'a fault'
      : `${faults.length} faults`;
  const head = `The program was not run: it has ${count}. Correct ${faults.length === 1 ? 'it' : 'all of them'} and send the whole program again.`;
  return {
    ok: false,
    error: new ToolError({
      code: 'invalid_arguments',
      field: 'code',
      message: [head, ...shown, ...(hasMore ? ['And more.'] : [])].join('\n'),
      issues: faults.map(({ line, column, message }) => ({ path: ['code', line, column], message })),
    }),
  };
}

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
async function readProgramInTurn(code: string, caller: string): Promise<ProgramReading> {
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
