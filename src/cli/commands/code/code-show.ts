import type { ProgramInfo } from '../../../code/programs.ts';
import { refuse } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { printAnswer } from '../../print/print-answer.ts';
import type { TextStyle } from '../../print/style.ts';
import { drawCalls } from './describe-result.ts';

/** `pegboard code show`: one program, with its code and its calls as a tree. */
export const codeShow = defineCommand({
  name: 'code show',
  description:
    'Shows a program that the board keeps: its code, its calls as a tree, and the calls that wait for a yes.',
  arguments: [{ name: 'ID', description: 'The id that `pegboard code list` shows', required: true }],
  options: {
    ...FILE_OPTION,
    follow: { type: 'boolean', description: 'Show it again each time it has gone on, until it is over' },
  },
  examples: [
    ['pegboard code show report-7', 'one program'],
    ['pegboard code show report-7 --follow', 'watch it'],
  ],
  run: ({ values, positionals: [id = ''], json, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
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
      return refuse(context, `There is no program "${id}" (any more). pegboard code list shows them.`);
    }),
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
