import type { Board } from '../../board/board.ts';
import { counted } from '../../tool/texts/counted.ts';
import { defineCommand, FILES_ARGUMENT } from '../shared/command.ts';

export const status = defineCommand({
  name: 'status',
  description: 'Shows the state of the board: its files, tools, servers and store, and what its features report.',
  arguments: [FILES_ARGUMENT],
  examples: [['pegboard status', 'the board of this folder']],
  board: { mode: 'look' },
  async run({ board }) {
    const sections = await readStatus(board);
    const view = sections.flatMap(({ name, rows }) => rows.map(([key, value]) => [name, key, value]));
    const data = Object.fromEntries(sections.map(({ name, rows }) => [name, Object.fromEntries(rows)]));
    return { data, view };
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
