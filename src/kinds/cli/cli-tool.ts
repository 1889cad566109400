import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { commandResult } from '../command-result.ts';
import type { KindHost } from '../kind-host.ts';
import { prepareCommand, type ReadyCommand, runCommand } from '../run-command.ts';
import type { CliEntry } from '../tool-entry.ts';
import { buildCommandLine } from './build-argv.ts';
import { cliInputSchema } from './cli-input-schema.ts';

/** Makes a tool of a command line. */
export function cliTool(entry: CliEntry, host: KindHost): Tool {
  return defineTool({
    ...entry.metadata,
    schema: cliInputSchema(entry.args),
    execute: async (input, context) => {
      const command = prepareCli(entry, input, host);
      const outcome = await runCommand(command, context, { host, maxOutput: entry.metadata.maxOutput });
      return commandResult(outcome, entry.running);
    },
  });
}

/** The exact command a call would start. */
export function prepareCli(entry: CliEntry, input: Readonly<Record<string, unknown>>, host: KindHost): ReadyCommand {
  return prepareCommand(buildCommandLine(entry, input), entry.running, host);
}
