import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { DryStep } from '../dry-step.ts';
import type { KindHost } from '../kind.ts';
import { commandResult } from '../running/command-result.ts';
import { prepareCommand, type ReadyCommand, runCommand, toDryCommand } from '../running/run-command.ts';
import { buildCommandLine } from './build-argv.ts';
import { cliInputSchema } from './cli-input-schema.ts';
import type { CliEntry } from './cli-settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** Makes a tool of a command line. */
export function cliTool(entry: CliEntry, host: KindHost): Tool {
  return defineTool({
    ...entry.metadata,
    schema: cliInputSchema(entry.settings.args),
    execute: async (input, context) => {
      const command = prepareCli(entry, input, host);
      const outcome = await runCommand(command, context, { host, maxOutput: entry.metadata.maxOutput });
      return commandResult(outcome, entry.settings.running);
    },
  });
}

/** The command that a call would start, for people. */
export function dryRunCli(entry: CliEntry, input: Values, host: KindHost): DryStep[] {
  return [toDryCommand(prepareCli(entry, input, host))];
}

/** The exact command a call would start. */
function prepareCli({ settings }: CliEntry, input: Values, host: KindHost): ReadyCommand {
  return prepareCommand(buildCommandLine(settings, input), settings.running, host);
}
