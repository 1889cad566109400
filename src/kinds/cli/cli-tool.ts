import { refusingFirst, wordsMark } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { loadOnce } from '../define-kind.ts';
import type { KindHost } from '../kind.ts';
import { outputSchemaOf } from '../running/run-settings.ts';
import {
  type ArgumentGroups,
  argumentRisks,
  type CliArgument,
  type CliEntry,
  type CliSettings,
  isFileArgument,
} from './cli-settings.ts';
import type { JsonSchema } from '../../tool/json.ts';

/** A board that only lists its tools starts no command. */
const withCall = loadOnce(() => import('./cli-call.ts'));

export function cliTool(entry: CliEntry, host: KindHost): Tool {
  const risks = argumentRisks(entry.settings.args);
  return defineTool({
    ...entry.metadata,
    ...refusingFirst(async (args, signal) => withCall(({ refuseCli }) => refuseCli(entry, host)(args, signal))),
    ...(risks === undefined ? {} : { argumentRisks: risks }),
    ...wordsMark(
      entry.settings.args.filter(({ place }) => place === 'positional' || place === 'tail').map(({ name }) => name),
    ),
    schema: cliInputSchema(entry.settings),
    ...outputSchemaOf(entry.settings.running.output),
    execute: async (input, context) => withCall(({ runCli }) => runCli(entry, input, { context, host })),
  });
}

/** Returns the JSON Schema of a command line's arguments; it allows no others. */
export function cliInputSchema({ args, groups }: CliSettings): JsonSchema {
  const required = args.filter((arg) => arg.required && arg.default === undefined).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, argumentSchema(arg)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(groups === undefined ? {} : groupSchema(groups)),
  };
}

/** Expresses argument groups in JSON Schema. */
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
  const { default: value } = arg;
  const description = [arg.description ?? '', describeContents(arg)].filter((text) => text !== '').join(' ');
  return {
    ...valueSchema(arg),
    ...(description === '' ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
  };
}

/** Without this, a model would send a path for a file. */
function describeContents(arg: CliArgument): string {
  if (isFileArgument(arg))
    return `Send the contents${arg.file?.encoding === 'base64' ? ' as base64' : ''}, not a path.`;
  return arg.file?.encoding === 'base64' ? 'Send base64.' : '';
}

function valueSchema(arg: CliArgument): JsonSchema {
  const { type, list, required } = arg;
  if (arg.sequence !== undefined) {
    const items = {
      type: 'object',
      properties: Object.fromEntries(arg.sequence.map((flag) => [flag.name, argumentSchema(flag)])),
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    };
    return { type, items, ...(required ? { minItems: 1 } : {}) };
  }
  if (type === 'array') {
    return { type, items: scalarSchema(list?.items ?? 'string', arg), ...(required ? { minItems: 1 } : {}) };
  }
  if (type === 'object') {
    // Patterns and lists of values apply to strings.
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
    type: type === 'file' ? 'string' : type,
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    // Larger numbers would lose digits.
    ...(type === 'integer' ? { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
}

/** Returns the pattern for each part of a text that is split. */
function partPattern({ enum: values, pattern }: CliArgument): string | undefined {
  if (pattern !== undefined) return `(?:${pattern})`;
  return values && `(?:${values.map((value) => String(value).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`;
}
