import type { z } from 'zod';
import { defineKind, loadOnce } from '../define-kind.ts';
import {
  checkRunning,
  describeRunning,
  findRunningNeeds,
  passedSecrets,
  quoteWord,
  RUNNING_PATHS,
} from '../running/run-settings.ts';
import { programFiles } from '../running/find-script.ts';
import { baseFolder, walkedFolders } from '../running/working-folders.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import { checkCli, explainGroups } from './check-cli.ts';
import { cliPaths } from './cli-paths.ts';
import { type CliArgument, type CliSettings, isFileArgument, readCli } from './cli-settings.ts';
import type { cliKeys } from './schema.ts';

const withTool = loadOnce(() => import('./cli-tool.ts'));

/** `type: cli`: a command line with typed arguments. */
export const cli = defineKind({
  type: 'cli',
  schema: KIND_SCHEMAS.cli,
  isSound: true,
  paths: RUNNING_PATHS,
  // Validated by its schema just before.
  read: (written, context) => readCli(written as z.input<typeof cliKeys>, context),
  explain: explainGroups,
  check: ({ settings, paths }) => checkRunning(settings.running, checkCli(settings, paths)),
  secrets: ({ settings }, env) => passedSecrets(settings.running, env),
  tools: (entry, host) => withTool(({ cliTool }) => [cliTool(entry, host)]),
  pathArguments: (entry, host) => {
    // Files written by the board and standard input are not paths of a call.
    const isSaid = entry.settings.marksPaths || entry.settings.args.every((arg) => !isText(arg));
    const paths = entry.paths ?? (isSaid ? [] : undefined);
    return paths && cliPaths(entry.settings, paths, host);
  },
  walks: ({ settings: { running }, paths }, host) =>
    paths?.length === 0 ? [] : walkedFolders(undefined, running, host),
  ownFiles: ({ settings: { command, running } }, host) =>
    programFiles(command, running.programFolder ?? baseFolder(running, host)),
  inputArgument: ({ settings }) => settings.args.find(({ place }) => place === 'stdin')?.name,
  dryRun: async ({ entry, input, host }) => {
    const { dryRunCli } = await import('./cli-call.ts');
    return dryRunCli(entry, input, host);
  },
  confirmMessage: async ({ settings: { confirmation } }, request, host) => {
    if (confirmation === undefined) return undefined;
    const { confirmMessage } = await import('./cli-call.ts');
    return confirmMessage(confirmation, request, host);
  },
  describe: async ({ settings }, host) => [
    ['command', describeCommandLine(settings)],
    ...settings.args.flatMap(({ place, name }): [string, string][] =>
      place === 'stdin' || place === 'cwd' ? [[place, `<${name}>`]] : [],
    ),
    ...describeGroups(settings),
    ...(await describeRunning(settings.running, host?.cwd)),
  ],
  doctor: ({ settings: { command, running } }, { cwd }) =>
    findRunningNeeds(
      running,
      command.slice(0, 1).map((program) => ({ program, folder: undefined })),
      cwd,
    ),
});

/** Describes argument groups for people. */
function describeGroups({ groups }: CliSettings): [string, string][] {
  const describe = (label: string, lists: readonly (readonly string[])[] = []): [string, string][] =>
    lists.map((names) => [label, names.join(', ')]);
  return [
    ...describe('only one', groups?.exclusive),
    ...describe('together', groups?.together),
    ...describe('one of', groups?.oneOf),
  ];
}

/** True when the command gets the value of an argument unchanged. */
function isText(arg: CliArgument): boolean {
  const isContents = isFileArgument(arg) || (arg.place === 'stdin' && arg.flag === undefined);
  const kind = arg.type === 'array' ? arg.list?.items : arg.type;
  return !isContents && arg.enum === undefined && (kind === 'string' || kind === 'object');
}

/** `git log [<path>…] [--max-count=<max_count>]` */
function describeCommandLine({ command, args, trailing, separator, flagsFirst }: CliSettings): string {
  const words = (place: CliArgument['place']): string[] =>
    args.filter((arg) => arg.place === place).map((arg) => bracket(arg, describeValues(arg)));
  const flags = args.filter(({ place, flag }) => place === 'flag' || (place === 'stdin' && flag !== undefined));
  const globals = flags.filter(({ isGlobal }) => isGlobal === true);
  const flagged = [...flags.filter(({ isGlobal }) => isGlobal !== true).map(describeFlag), ...trailing];
  const isFirst = flagsFirst === true || (separator !== undefined && separator !== './');
  return [
    ...command.map(quoteWord).toSpliced(1, 0, ...globals.map(describeFlag)),
    ...(isFirst ? [...flagged, ...words('positional')] : [...words('positional'), ...flagged]),
    ...words('tail'),
  ].join(' ');
}

function describeFlag(arg: CliArgument): string {
  if (arg.sequence !== undefined) {
    const flags = arg.sequence.map((flag) => describeFlag({ ...flag, required: true }));
    return `${bracket({ ...arg, required: false }, flags.join(' | '))}…`;
  }
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  if (arg.type === 'boolean') return `[${flag}${arg.negated === undefined ? '' : `|${arg.negated}`}]`;
  if (arg.list?.isSpread === true) return bracket(arg, `${flag} ${describeValues(arg)}`);
  const isJoined = flag.startsWith('--') && arg.style === 'joined';
  const between = flag.endsWith('=') ? '' : isJoined ? '=' : ' ';
  const isRepeated = arg.list !== undefined && arg.list.join === undefined;
  const value = isRepeated ? describeValue(arg) : describeValues(arg);
  return `${bracket(arg, `${flag}${between}${value}`)}${isRepeated ? '…' : ''}`;
}

/** `<key>=<value>` or `<file>` */
function describeValue({ name, type, list }: CliArgument): string {
  return type === 'object' ? `<key>${list?.pair ?? ' '}<value>` : `<${name}>`;
}

/** Describes all values of an argument: `<file>…`, `<label>,…`, `-- <word>…`. */
function describeValues(arg: CliArgument): string {
  const { list } = arg;
  if (list === undefined) return describeValue(arg);
  const before = list.before === undefined ? '' : `${list.before} `;
  return `${before}${describeValue(arg)}${list.join ?? ''}…`;
}

/** Puts optional parts in brackets. */
function bracket({ required, default: value }: CliArgument, text: string): string {
  return required || value !== undefined ? text : `[${text}]`;
}
