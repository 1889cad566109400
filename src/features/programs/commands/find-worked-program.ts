import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Board } from '../../../board/board.ts';
import { CODE_TOOL } from '../../../code/code-target.ts';
import type { WorkedProgram } from '../../../code/plan-saved-program.ts';
import type { ProgramCall } from '../../../code/program/program-outcome.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { withClient } from '../../../tool/calls/call-owner.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import type { CommandAnswer } from '../../../cli/shared/command.ts';
import { describeResult } from './describe-result.ts';

/** Options for running a file before it is saved. */
interface TryOptions {
  readonly input: unknown;
  readonly context: CliContext;
}

/**
 * Finds a program that worked: one of the board's programs, a recorded call of `run_code`, or a file, which is run first.
 * Returns the answer to print if the file fails. Throws if there is no such program.
 */
export async function findWorkedProgram(
  board: Board,
  named: string,
  options: TryOptions,
): Promise<WorkedProgram | CommandAnswer> {
  const kept = await findKept(board, named);
  if (kept !== undefined) return kept;
  const file = resolve(options.context.cwd, named);
  if (existsSync(file)) return tryFile(board, named, { ...options, code: await readFile(file, 'utf8') });
  const recorded = await findRecorded(board, named);
  if (recorded !== undefined) return recorded;
  const message = `There is no program "${named}": it is neither a file, nor a program of the board (pegboard code list), nor a recorded call of run_code (pegboard calls --tool run_code).`;
  throw new ToolError({ code: 'not_found', message });
}

async function findKept(board: Board, id: string): Promise<WorkedProgram | undefined> {
  const { sealed } = board;
  if (sealed === undefined) return undefined;
  const { programJobs } = await import('../../../code/program/program-log.ts');
  const jobs = programJobs(sealed);
  const program = (await jobs.get(id))?.info;
  if (program === undefined) return undefined;
  const outcome = await jobs.result(id);
  if (outcome?.ok !== true) throw unproven(id, outcome === undefined ? 'has not ended' : 'failed');
  const input: unknown = JSON.parse(program.input);
  return { code: program.source, input, called: namesOf(outcome.calls) };
}

async function findRecorded(board: Board, id: string): Promise<WorkedProgram | undefined> {
  const call = await board.calls.get(id);
  if (call === undefined || call.tool !== CODE_TOOL) return undefined;
  if (call.outcome !== 'ok') throw unproven(id, `ended with ${call.outcome}`);
  const args: unknown = call.args === undefined || call.isArgsWhole !== true ? undefined : JSON.parse(call.args);
  if (!isPlainObject(args) || typeof args['code'] !== 'string')
    throw unproven(id, 'is not recorded in full (set record: { tools: { run_code: full } })');
  const below = await board.calls.list({ parent: id, limit: 1_000 });
  return { code: args['code'], input: args['input'], called: below.map(({ tool }) => tool) };
}

async function tryFile(
  board: Board,
  name: string,
  { input, context, code }: TryOptions & { readonly code: string },
): Promise<WorkedProgram | CommandAnswer> {
  const { runCode } = await import('../../../code/run-code.ts');
  const result = await runCode(board, code, {
    input,
    signal: context.signal,
    context: withClient({}, { user: '', session: '', via: 'terminal' }),
  });
  if (result.ok) return { code, input, called: namesOf(result.calls) };
  return describeResult(result, { name, isQuiet: false });
}

function namesOf(calls: readonly ProgramCall[]): string[] {
  return calls.map(({ tool }) => tool);
}

function unproven(id: string, what: string): ToolError {
  const message = `The program "${id}" ${what}. Only a program that worked can be saved. Save its file instead, which is run first.`;
  return new ToolError({ code: 'invalid_arguments', message });
}
