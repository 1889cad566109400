import type { Board } from '../../board/board.ts';
import { counted } from '../../tool/texts/counted.ts';
import { readBoardStates } from '../../mcp/front/board-states.ts';
import { openBoardsFolder } from '../../mcp/front/boards-folder.ts';
import { tryFindConfig } from '../shared/board/find-config.ts';
import { useBoard } from '../shared/board/use-board.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, flag } from '../shared/command.ts';
import { describeBoard, type StatusRow, toStatus } from './describe-board.ts';

export const status = defineCommand({
  name: 'status',
  description:
    'Shows the state of the board of this folder: its files, tools, servers and store, and what its features report. Also shows all boards that run on this machine for this user, with their clients and servers.',
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION, verbose: flag('Show also the PATH that each running board gives to its commands') },
  examples: [
    ['pegboard status', 'the board of this folder, and all that run'],
    ['pegboard status --json', 'for a program, with the memory of each server'],
  ],
  async run({ values, positionals, context }) {
    const files = tryFindConfig([...positionals, ...values.file], context);
    const sections = files === undefined ? [] : await useBoard(files, { mode: 'look', context }, readStatus);
    const states = await readBoardStates(openBoardsFolder(context.env));
    const boards = states.map(toStatus);
    const rows = sections.flatMap(({ name, rows }): StatusRow[] => rows.map(([key, value]) => [name, key, value]));
    const data = Object.fromEntries(sections.map(({ name, rows }) => [name, Object.fromEntries(rows)]));
    return {
      data: { ...data, boards },
      view: [
        ...rows,
        ...boards.flatMap((board) => describeBoard(board, { isVerbose: values.verbose, now: Date.now() })),
      ],
      notes: boards.length === 0 ? 'No board is running on this machine for this user.' : [],
    };
  },
});

interface StatusSection {
  readonly name: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
}

async function readStatus(board: Board): Promise<StatusSection[]> {
  const { address } = board.store;
  const own: StatusSection = {
    name: 'board',
    rows: [
      ['files', board.files.map(({ file }) => file).join(', ')],
      ['tools', String(board.registry.size)],
      ['off', String(board.unavailable.length)],
      ['servers', String(board.servers.length)],
      ['store', address],
      ...(await board.changes.list()).map(
        ({ id, status: state, changes }) =>
          [
            'changes',
            `${counted(changes.length, 'change')} of the files ${state === 'refused' ? 'refused' : 'waiting'} (${id}). See: pegboard approvals show ${id}`,
          ] as const,
      ),
    ],
  };
  const features = await Promise.all(
    board.features.map(async ({ feature, status: read }) => ({ name: feature.name, rows: (await read?.()) ?? [] })),
  );
  return [own, ...features];
}
