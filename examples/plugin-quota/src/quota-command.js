// `pegboard quota`: loaded when it runs, with the board of the folder open.
import { defineCommand } from 'pegboard';
import { quota } from './index.js';

export const quotaCommand = defineCommand({
  name: 'quota',
  description: 'Shows how many calls each caller made today.',
  examples: [['pegboard quota', 'of the board in this folder']],
  board: { mode: 'run' },
  async run({ board }) {
    const rows = await board.api(quota).today();
    return {
      data: rows,
      view:
        rows.length === 0
          ? 'No calls today.'
          : rows.map(({ caller, calls, limit }) => [caller, `${calls} of ${limit}`]),
    };
  },
});
