import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { DryStep } from '../dry-step.ts';
import type { KindHost } from '../kind.ts';
import { commandResult } from '../running/command-result.ts';
import { prepareCommand, type ReadyCommand, runCommand, toDryCommand } from '../running/run-command.ts';
import { buildCommandLine } from './build-argv.ts';
import type { CliEntry, CliArgument } from './cli-settings.ts';
import type { JsonSchema } from '../../tool/json.ts';

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

/** The JSON Schema of a command line's arguments, and of no others. */
function cliInputSchema(args: readonly CliArgument[]): JsonSchema {
  const required = args.filter((arg) => arg.required && arg.default === undefined).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, argumentSchema(arg)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function argumentSchema({ type, description, default: value, enum: values, pattern }: CliArgument): JsonSchema {
  return {
    type,
    ...(description === undefined || description === '' ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    // Beyond these a number no longer is the integer that was written.
    ...(type === 'integer' ? { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } : {}),
  };
}
