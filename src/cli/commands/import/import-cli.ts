import { ToolError } from '../../../tool/tool-error.ts';
import { escapeVariables } from '../../../load/variables/escape-variables.ts';
import { importCli as importTools } from '../../../load/import-cli/import-cli.ts';
import type { CliContext } from '../../cli-context.ts';
import { defineCommand } from '../../command-line/command.ts';
import { clearLine } from '../../print/gate-output.ts';
import { parseCount } from '../../command-line/parse-values.ts';
import { createHelpReader } from './read-help.ts';
import { writeYaml } from './write-yaml.ts';

/** `pegboard import cli`: cli tools from what a command says about itself. */
export const importCli = defineCommand({
  name: 'import cli',
  description:
    'Runs COMMAND --help, and the same for each subcommand it lists, and writes cli tools: a first version to correct.',
  arguments: [
    { name: 'COMMAND', description: 'The command, with a subcommand if you like', required: true, multiple: true },
  ],
  options: {
    limit: { type: 'string', value: 'N', description: 'Ask at most so many subcommands (default: 60)' },
    out: { type: 'string', short: 'o', value: 'FILE', description: 'Write to a new file instead of stdout' },
  },
  examples: [
    ['pegboard import cli jq', 'one tool'],
    ['pegboard import cli docker container --out containers.yaml', 'one tool for each subcommand'],
  ],
  async run({ values, positionals, json, context }) {
    const limit = parseCount(values.limit, { option: '--limit', command: 'import cli' });
    const { tools, notes } = await importTools(positionals, createHelpReader(context), {
      ...(limit === undefined ? {} : { limit }),
      ...progress(context),
    });
    if (tools.every(({ args }) => args === undefined) && tools.length <= 1) {
      throw new ToolError({
        code: 'execution_failed',
        message: `Nothing could be read from "${positionals.join(' ')} --help". Write the tool by hand: pegboard init shows how.`,
      });
    }
    const name = (positionals[0] ?? '').split('/').at(-1) ?? '';
    const remarks = [
      `Made by: pegboard import cli ${positionals.join(' ')}`,
      'Read it before you use it: remove what an agent should not do, and set risk: read where a tool only looks.',
    ];
    // What a command says about itself has no variables of the config's.
    const data = { name, tools: tools.map(escapeVariables) };
    writeYaml({ remarks, data, notes }, { out: values.out, json }, context);
    return 0;
  },
});

function progress({ stderr }: CliContext): { onProgress?: (done: number, total: number) => void } {
  if (stderr.isTTY !== true) return {};
  return {
    onProgress: (done, total) => {
      stderr.write(`${clearLine()}${done === total ? '' : `${done} of ${total} subcommands`}`);
    },
  };
}
