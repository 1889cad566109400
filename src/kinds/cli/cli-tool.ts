import { refusingFirst, wordsMark } from '../../tool/tool-marks.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { DryStep, KindHost } from '../kind.ts';
import { commandResult, outputSchemaOf, refuseCommand } from '../running/command-result.ts';
import {
  decodeContents,
  prepareCommand,
  type ReadyCommand,
  runCommand,
  toDryCommand,
  withProgress,
} from '../running/run-command.ts';
import type { DescribedFiles } from '../running/call-files.ts';
import { buildCommandLine } from './build-argv.ts';
import {
  type ArgumentGroups,
  argumentRisks,
  type CliArgument,
  type CliEntry,
  type CliSettings,
  type Confirmation,
  filesOf,
  isFileArgument,
  readCli,
} from './cli-settings.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import { readJsonSchema } from '../../tool/schema/read-json-schema.ts';

type Values = Readonly<Record<string, unknown>>;

export function cliTool(entry: CliEntry, host: KindHost): Tool {
  const styles = filesOf(entry.settings.args);
  const risks = argumentRisks(entry.settings.args);
  const refuse = refuseCommand({
    running: entry.settings.running,
    host,
    first: async (values) => prepareCli(entry.settings, await placeFiles(entry.settings, values, host), host),
  });
  return defineTool({
    ...entry.metadata,
    ...refusingFirst(refuse),
    ...(risks === undefined ? {} : { argumentRisks: risks }),
    ...wordsMark(
      entry.settings.args.filter(({ place }) => place === 'positional' || place === 'tail').map(({ name }) => name),
    ),
    schema: cliInputSchema(entry.settings),
    ...outputSchemaOf(entry.settings.running.output),
    execute: async (input, context) => {
      const run = async (values: Values, folder?: string): Promise<ToolResult> => {
        const command = prepareCli(entry.settings, { values, folder }, host);
        const { running } = entry.settings;
        const { maxOutput } = entry.metadata;
        return withProgress(running, context, async (progress) =>
          commandResult(
            await runCommand(command, context, { host, maxOutput, paths: entry.paths, progress }),
            running,
            host,
          ),
        );
      };
      if (styles === undefined) return run(input);
      const { withFiles } = await import('../running/call-files.ts');
      return withFiles({ styles, values: input, host }, ({ values, folder }) => run(values, folder));
    },
  });
}

/** Describes the command that a call would start. */
export async function dryRunCli({ settings }: CliEntry, input: Values, host: KindHost): Promise<DryStep[]> {
  const placed = await placeFiles(settings, input, host);
  return [toDryCommand(prepareCli(settings, placed, host), placed.files)];
}

/** Returns the values of a call with the files it would write; writes nothing. */
async function placeFiles(settings: CliSettings, values: Values, host: KindHost): Promise<DescribedFiles> {
  const styles = filesOf(settings.args);
  if (styles === undefined) return { values, files: [] };
  const { describeFiles } = await import('../running/call-files.ts');
  return describeFiles(styles, values, host);
}

/** Prepares the exact command of a call. */
function prepareCli(
  settings: CliSettings,
  { values, folder }: { readonly values: Values; readonly folder?: string | undefined },
  host: KindHost,
): ReadyCommand {
  const line = buildCommandLine(settings, values);
  const reader = settings.args.find(({ place }) => place === 'stdin');
  const stdin =
    line.stdin === undefined || reader?.file === undefined
      ? line.stdin
      : decodeContents(line.stdin, reader.file.encoding, reader.name);
  return prepareCommand({ ...line, stdin, folder }, settings.running, host);
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

const MAX_VALUE = 200;

interface Asked {
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Returns a tool's own question, with its variables replaced by the output of their commands. The policy fills in arguments. */
export async function confirmMessage(confirmation: Confirmation, asked: Asked, host: KindHost): Promise<string> {
  let { message } = confirmation;
  for (const [variable, resolver] of Object.entries(confirmation.resolve)) {
    if (!message.includes(`{${variable}}`)) continue;
    const value = await resolveVariable(resolver, asked, host);
    message = message.replaceAll(`{${variable}}`, () => value);
  }
  return message;
}

async function resolveVariable(
  { argv, timeout }: Confirmation['resolve'][string],
  { args, signal }: Asked,
  host: KindHost,
): Promise<string> {
  const filled = argv.map((part) =>
    part.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : whole)),
  );
  // The call is not approved yet: a value must not become a flag here either.
  if (filled.some((part, index) => part.startsWith('-') && argv[index]?.startsWith('-') !== true)) return '(unknown)';
  const [file = '', ...rest] = filled;
  const leave = await host.processes.enter('', AbortSignal.any([signal, host.closed]));
  const outcome = await runProcess({
    file,
    args: rest,
    env: childEnvironment({ from: host.env }),
    signal: AbortSignal.any([signal, host.closed, AbortSignal.timeout(timeout)]),
    capture: { limit: 4096 },
  }).finally(leave);
  if (outcome.type === 'failed' || outcome.code !== 0) return '(unknown)';
  // On one line and in quotes: braces would be taken for arguments, and foreign words for the question's own.
  const text = describeOutput(outcome.stdout)
    .replaceAll(/[{}\s]+/g, ' ')
    .trim();
  if (/^[\w.,-]+$/.test(text) && text.length <= MAX_VALUE) return text;
  return quoteText(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters)` : text);
}

/** Reads a `cli` entry and returns a function that builds the command line of a call; `undefined` for invalid arguments. */
export function lineBuilder(entry: object): (input: object) => readonly string[] | undefined {
  // A copy: the entry may be frozen, and the types require mutable lists.
  const written = JSON.parse(JSON.stringify(entry));
  const settings = readCli(written, { written: {}, folder: '.', env: {}, addSecrets: () => {}, addError: () => {} });
  const schema = readJsonSchema(cliInputSchema(settings));
  return (input) => {
    if (!schema.validate(input).ok) return undefined;
    try {
      return buildCommandLine(settings, { ...input }).argv;
    } catch {
      return undefined;
    }
  };
}
