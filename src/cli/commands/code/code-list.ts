import { counted } from '../../../tool/texts/counted.ts';
import type { ProgramInfo } from '../../../code/programs.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';

/** `pegboard code list`: the programs that the board keeps. */
export const codeList = defineCommand({
  name: 'code list',
  description:
    'Lists the programs that the board keeps, the newest first, of all callers and processes: those that wait, run or were killed, and for a day those that ended.',
  options: { ...FILE_OPTION },
  examples: [['pegboard code list', 'all of them']],
  run: ({ values, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const { listPrograms } = await import('../../../code/programs.ts');
      const programs = await listPrograms(board);
      const none = 'No program is kept. Keep one: pegboard code FILE --id ID';
      return { data: programs, view: programs.map(toRow), notes: programs.length === 0 ? none : [] };
    }),
});

function toRow({ id, status, outcome, caller, startedAt, calls, waiting }: ProgramInfo): string[] {
  const at = new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ');
  const note = waiting.length > 0 ? `waits for ${waiting.map(({ approvalId }) => approvalId).join(', ')}` : caller;
  return [at, id, outcome ?? status, counted(calls.length, 'call'), note];
}
