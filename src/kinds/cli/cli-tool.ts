import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { DryStep } from '../dry-step.ts';
import type { KindHost } from '../kind.ts';
import { commandResult, outputSchemaOf } from '../running/command-result.ts';
import { prepareCommand, type ReadyCommand, runCommand, toDryCommand } from '../running/run-command.ts';
import { buildCommandLine } from './build-argv.ts';
import type { ArgumentGroups, CliArgument, CliEntry, CliSettings } from './cli-settings.ts';
import type { JsonSchema } from '../../tool/json.ts';

type Values = Readonly<Record<string, unknown>>;

/** Makes a tool of a command line. */
export function cliTool(entry: CliEntry, host: KindHost): Tool {
  return defineTool({
    ...entry.metadata,
    schema: cliInputSchema(entry.settings),
    ...outputSchemaOf(entry.settings.running.output),
    execute: async (input, context) => {
      const command = prepareCli(entry, input, host);
      const outcome = await runCommand(command, context, { host, maxOutput: entry.metadata.maxOutput });
      return commandResult(outcome, entry.settings.running, host);
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
function cliInputSchema({ args, groups }: CliSettings): JsonSchema {
  const required = args.filter((arg) => arg.required && arg.default === undefined).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, argumentSchema(arg)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(groups === undefined ? {} : groupSchema(groups)),
  };
}

/** Which arguments go together, in JSON Schema. */
function groupSchema({ exclusive, together, oneOf }: ArgumentGroups): JsonSchema {
  const pairs = exclusive.flatMap((names) =>
    names.flatMap((one, index) => names.slice(index + 1).map((other) => ({ not: { required: [one, other] } }))),
  );
  const choices = oneOf.map((names) => ({ anyOf: names.map((name) => ({ required: [name] })) }));
  const needs = together.flatMap((names) => names.map((name) => [name, names.filter((other) => other !== name)]));
  return {
    ...(pairs.length + choices.length === 0 ? {} : { allOf: [...pairs, ...choices] }),
    ...(needs.length === 0 ? {} : { dependentRequired: Object.fromEntries(needs) }),
  };
}

function argumentSchema(arg: CliArgument): JsonSchema {
  const { description, default: value } = arg;
  return {
    ...valueSchema(arg),
    ...(description === undefined || description === '' ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
  };
}

function valueSchema(arg: CliArgument): JsonSchema {
  const { type, list, required } = arg;
  if (type === 'array') {
    return { type, items: scalarSchema(list?.items ?? 'string', arg), ...(required ? { minItems: 1 } : {}) };
  }
  if (type === 'object') {
    // A pattern or a list of values is for texts.
    const isOpen = arg.enum === undefined && arg.pattern === undefined;
    return {
      type,
      additionalProperties: isOpen ? { type: ['string', 'number', 'boolean'] } : scalarSchema('string', arg),
      ...(required ? { minProperties: 1 } : {}),
    };
  }
  if (list?.split === undefined) return scalarSchema(type, arg);
  const part = partPattern(arg);
  const between = list.split.source;
  return { type: 'string', ...(part === undefined ? {} : { pattern: `^\\s*${part}(?:${between}${part})*\\s*$` }) };
}

function scalarSchema(type: string, { enum: values, pattern, min, max }: CliArgument): JsonSchema {
  return {
    type,
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    // Beyond these a number no longer is the integer that was written.
    ...(type === 'integer' ? { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
}

/** What each part of a text must be that is split. */
function partPattern({ enum: values, pattern }: CliArgument): string | undefined {
  if (pattern !== undefined) return `(?:${pattern})`;
  return values && `(?:${values.map((value) => String(value).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`;
}
