import { counted } from '../../../tool/texts/counted.ts';
import type { ProgramInfo } from '../../../code/programs.ts';
import type { Board } from '../../../board/board.ts';
import { describeWaiting } from '../../../cli/shared/board/describe-waiting.ts';
import { defineCommand, flag } from '../../../cli/shared/command.ts';
import { refuse } from '../../../cli/shared/cli-context.ts';
import { printAnswer } from '../../../cli/shared/print/print-answer.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { drawCalls } from './describe-result.ts';

export const codeList = defineCommand({
  name: 'code list',
  description:
    'Lists the programs of all callers and processes, newest first: those that wait, run or were killed, and those that ended within a day.',
  examples: [['pegboard code list', 'list all programs']],
  board: { mode: 'look' },
  async run({ board }) {
    const { listPrograms } = await import('../../../code/programs.ts');
    const programs = await listPrograms(board);
    const none = 'There are no programs. Start one: pegboard code FILE --id ID';
    const view = await Promise.all(programs.map((program) => toRow(program, board)));
    return { data: programs, view, notes: programs.length === 0 ? none : [] };
  },
});

async function toRow(program: ProgramInfo, board: Pick<Board, 'approvals'>): Promise<string[]> {
  const { id, status, outcome, caller, startedAt, calls, waiting } = program;
  const at = new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ');
  const approvals = waiting.map(({ approvalId }) => approvalId);
  const note = await describeWaiting(board, approvals, `pegboard code resume ${id}`);
  return [at, id, outcome ?? status, counted(calls.length, 'call'), note ?? caller];
}

export const codeShow = defineCommand({
  name: 'code show',
  description: 'Shows a program: its code, its calls as a tree, and the calls that wait for approval.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard code list`', required: true }],
  options: {
    follow: flag('Show the program after each change, until it ends'),
  },
  examples: [
    ['pegboard code show report-7', 'one program'],
    ['pegboard code show report-7 --follow', 'watch it'],
  ],
  board: { mode: 'look' },
  async run({ values, positionals: [id = ''], json, context, board }) {
    const { followProgram } = await import('../../../code/programs.ts');
    let isKnown = false;
    for await (const program of followProgram(board, id, context.signal)) {
      const isFirst = !isKnown;
      isKnown = true;
      const answer = { data: program, view: (style: TextStyle) => describe(program, style, isFirst) };
      if (!values.follow) return answer;
      printAnswer(answer, json, context);
    }
    if (isKnown) return 0;
    return refuse(context, `There is no program "${id}". List them with: pegboard code list`);
  },
});

function describe(
  { id, status, outcome, code, calls, waiting }: ProgramInfo,
  style: TextStyle,
  isFirst: boolean,
): string[] {
  const ok = outcome === undefined || outcome === 'ok';
  return [
    ...(isFirst ? [...code.trim().split('\n'), ''] : []),
    ...drawCalls(`${id} ${outcome ?? status}`, { ok, calls }, style),
    ...waiting.map(
      ({ tool, args, approvalId }) => `   waits: ${tool} ${JSON.stringify(args)} (approval ${approvalId})`,
    ),
  ];
}

export const codeCancel = defineCommand({
  name: 'code cancel',
  description: 'Cancels a program, even one that another process runs, and withdraws its questions.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard code list`', required: true }],
  examples: [['pegboard code cancel report-7', 'cancel one program']],
  board: { mode: 'look' },
  async run({ positionals: [id = ''], context, board }) {
    const { cancelProgram } = await import('../../../code/programs.ts');
    const program = await cancelProgram(board, id, { signal: context.signal });
    if (program === undefined)
      return refuse(context, `There is no program "${id}". List them with: pegboard code list`);
    const { outcome, status } = program;
    const view = `The program "${id}" is ${outcome ?? status}.`;
    return { data: program, view, exitCode: outcome === 'cancelled' ? 0 : 1 };
  },
});
