import { resolve } from 'node:path';
import type { z } from 'zod';
import type { CliArgument, CliEntry, Confirmation } from '../../kinds/cli/cli-settings.ts';
import { cli } from '../../kinds/cli/kind.ts';
import { expandHome, shellVariablesIn } from '../variables/interpolate.ts';
import type { FileContext } from '../file-context.ts';
import type { climaxFile } from '../schema/climax-schema.ts';

/** A CLImax file, checked against its schema. */
export type ClimaxFile = z.input<typeof climaxFile>;
type ClimaxTool = ClimaxFile['tools'][number];
type ClimaxArgument = NonNullable<ClimaxTool['args']>[number];

type Environment = Readonly<Record<string, string | undefined>>;

interface ClimaxReader {
  readonly context: FileContext;
  readonly env: Environment;
  /** The folder that relative paths start from: the one that CLImax is started in. */
  readonly cwd: string;
}

/** Converts a CLImax file to tools by CLImax's rules. */
export function readClimax(config: ClimaxFile, { context, env, cwd }: ClimaxReader): CliEntry[] {
  const base = split(expandHome(config.command, env));
  const childEnv = Object.fromEntries(
    Object.entries(config.env ?? {}).map(([name, value]) => [name, expandHome(value, env)]),
  );
  for (const [name, value] of Object.entries(childEnv)) context.addSecrets(name, value);
  // A secret variable stays secret under any name it is passed on by.
  for (const text of [
    ...Object.values(config.env ?? {}),
    ...(config.global_args ?? []).map((arg) => String(arg.default)),
  ]) {
    for (const name of shellVariablesIn(text)) context.addSecrets(name, env[name] ?? '');
  }
  const trailing = (config.global_args ?? []).flatMap((arg) => placeGlobal(arg, env));
  const workingDir = config.working_dir == null ? undefined : resolve(cwd, expandHome(config.working_dir, env));
  return config.tools.map((tool, index) => ({
    kind: cli,
    file: context.yaml.file,
    path: ['tools', index],
    // CLImax does not mark paths: without this key they are unknown.
    paths: tool.paths ?? undefined,
    metadata: {
      name: tool.name,
      description: tool.description,
      source: config.name ?? 'climax',
      ...(config.category == null ? {} : { category: config.category }),
      ...(config.tags === undefined ? {} : { tags: config.tags }),
      risk: tool.risk ?? 'read',
      // CLImax counts in seconds; missing and 0 mean 30.
      timeout: (tool.timeout || 30) * 1000,
    },
    settings: {
      confirmation: readConfirmation(tool, env),
      command: [...base, ...split(tool.command ?? '')],
      args: (tool.args ?? []).map(readArgument),
      trailing,
      separator: undefined,
      running: { env: childEnv, envPass: [], workingDir, sandbox: undefined, output: undefined, exitCodes: {} },
      marksPaths: false,
    },
  }));
}

function readConfirmation(tool: ClimaxTool, env: Environment): Confirmation | undefined {
  if (tool.confirm_message == null) return undefined;
  const resolvers = Object.entries(tool.resolve ?? {}).map(([variable, { command, args = [], timeout }]) => [
    variable,
    { argv: [...split(expandHome(command, env)), ...args], timeout: (timeout || 10) * 1000 },
  ]);
  return { message: tool.confirm_message, resolve: Object.fromEntries(resolvers) };
}

function readArgument(arg: ClimaxArgument): CliArgument {
  return {
    name: arg.name,
    description: arg.description,
    type: arg.type ?? 'string',
    required: arg.required ?? false,
    default: isScalar(arg.default) ? arg.default : undefined,
    enum: arg.enum ?? undefined,
    pattern: undefined,
    flag: arg.flag ?? undefined,
    style: undefined,
    place: arg.cwd === true ? 'cwd' : arg.stdin === true ? 'stdin' : arg.positional === true ? 'positional' : 'flag',
    isPath: arg.cwd === true,
  };
}

/** Places the default of a global argument, which applies to every call. Skips one whose variable is not set. */
function placeGlobal(arg: ClimaxArgument, env: Environment): string[] {
  if (!isScalar(arg.default)) return [];
  const raw = String(arg.default);
  const value = expandHome(raw, env);
  if (value === '' || (value === raw && raw.includes('$'))) return [];
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  if (arg.type === 'boolean') return ['true', 'True', '1'].includes(value) ? [flag] : [];
  return flag.endsWith('=') ? [`${flag}${value}`] : [flag, value];
}

function split(command: string): string[] {
  return command.split(/\s+/).filter((word) => word !== '');
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
