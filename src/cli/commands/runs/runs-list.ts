import type { RunInfo, RunStatus } from '../../../platform/runs/board-runs.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';

const STATUSES: readonly RunStatus[] = ['running', 'interrupted', 'waiting', 'completed', 'failed', 'cancelled'];

/** `pegboard runs list`: the runs of agents that the board keeps. */
export const runsList = defineCommand({
  name: 'runs list',
  description: 'Lists the runs of agents that the board keeps, the newest first, started by any of its processes.',
  options: {
    ...FILE_OPTION,
    status: { type: 'string', value: 'WHAT', description: `One of: ${STATUSES.join(', ')}` },
  },
  examples: [['pegboard runs list --status interrupted', 'what can go on']],
  run: ({ values, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const status = STATUSES.find((one) => one === values.status);
      if (values.status !== undefined && status === undefined)
        throw new UsageError(`--status is one of: ${STATUSES.join(', ')}; got "${values.status}".`, 'runs list');
      const runs = await board.runs.list({ status });
      const none = 'No such run is kept. Keep one: pegboard agent --once TEXT --run ID';
      return { data: runs, view: runs.map(toRow), notes: runs.length === 0 ? none : [] };
    }),
});

function toRow({ id, agent, status, startedAt, holder, waitingFor, reason }: RunInfo): string[] {
  const note = holder ?? (waitingFor.length > 0 ? `waits for ${waitingFor.join(', ')}` : reason) ?? '';
  return [new Date(startedAt).toISOString().slice(0, 19).replace('T', ' '), id, agent, status, note];
}
