import { defineCommand } from '../../command-line/command.ts';
import { parseChoice } from '../../command-line/parse-values.ts';
import { COMPLETION_SCRIPTS, SETUP, SHELLS } from './completion-scripts.ts';

export const completion = defineCommand({
  name: 'completion',
  description:
    'Prints a script that lets your shell complete commands, options, tool names, arguments and their values. Completion starts no server, runs no code of the board and uses no network.',
  arguments: [{ name: 'SHELL', description: `One of ${SHELLS.join(', ')}`, required: true, choices: SHELLS }],
  options: {},
  examples: SHELLS.map((shell) => [SETUP[shell], `for ${shell}`] as const),
  async run({ positionals: [wanted = ''], context }) {
    const shell = parseChoice(wanted, SHELLS, { option: 'The shell', command: 'completion' });
    const script = COMPLETION_SCRIPTS[shell];
    return {
      data: { shell, script, setup: SETUP[shell] },
      view: { text: script },
      notes: context.stdout.isTTY === true ? `Set it up with: ${SETUP[shell]}` : [],
    };
  },
});
