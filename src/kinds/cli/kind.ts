import type { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { loadOnce } from '../load-once.ts';
import {
  checkRunning,
  describeRunning,
  findRunningNeeds,
  passedSecrets,
  quoteWord,
  RUNNING_PATHS,
} from '../running/run-settings.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import { checkCli } from './check-cli.ts';
import { cliPaths } from './cli-paths.ts';
import { type CliArgument, type CliSettings, readCli } from './cli-settings.ts';
import type { cliKeys } from './schema.ts';

const withTool = loadOnce(() => import('./cli-tool.ts'));

/** `type: cli`: a command line with typed arguments. */
export const cli = defineKind({
  type: 'cli',
  schema: KIND_SCHEMAS.cli,
  paths: RUNNING_PATHS,
  // Checked against its schema just before.
  read: (written, context) => readCli(written as z.input<typeof cliKeys>, context),
  check: ({ settings }) => checkRunning(settings.running, checkCli(settings)),
  secrets: ({ settings }, env) => passedSecrets(settings.running, env),
  tools: (entry, host) => withTool(({ cliTool }) => [cliTool(entry, host)]),
  pathArguments: (entry, host) => {
    const paths = entry.paths ?? (entry.settings.marksPaths ? [] : undefined);
    return paths && cliPaths(entry.settings, paths, host);
  },
  dryRun: ({ entry, input, host }) => withTool(({ dryRunCli }) => dryRunCli(entry, input, host)),
  confirmMessage: async ({ settings: { confirmation } }, request, host) => {
    if (confirmation === undefined) return undefined;
    const { confirmMessage } = await import('./confirm-message.ts');
    return confirmMessage(confirmation, request, host);
  },
  describe: async ({ settings }) => [
    ['command', describeCommandLine(settings)],
    ...settings.args.flatMap(({ place, name }): [string, string][] =>
      place === 'stdin' || place === 'cwd' ? [[place, `<${name}>`]] : [],
    ),
    ...(await describeRunning(settings.running)),
  ],
  doctor: ({ settings: { command, running } }, { cwd }) =>
    findRunningNeeds(
      running,
      command.slice(0, 1).map((program) => ({ program, folder: undefined })),
      cwd,
    ),
});

/** `git log [--max-count=<max_count>] [<path>]` */
function describeCommandLine({ command, args, trailing }: CliSettings): string {
  const positionals = args.filter(({ place }) => place === 'positional');
  const flags = args.filter(({ place, flag }) => place === 'flag' || (place === 'stdin' && flag !== undefined));
  return [
    ...command.map(quoteWord),
    ...positionals.map((arg) => bracket(arg, `<${arg.name}>`)),
    ...flags.map(describeFlag),
    ...trailing,
  ].join(' ');
}

function describeFlag(arg: CliArgument): string {
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  if (arg.type === 'boolean') return `[${flag}]`;
  if (flag.endsWith('=')) return bracket(arg, `${flag}<${arg.name}>`);
  const isJoined = flag.startsWith('--') && arg.style === 'joined';
  return bracket(arg, `${flag}${isJoined ? '=' : ' '}<${arg.name}>`);
}

/** What may be left out stands in brackets. */
function bracket({ required, default: value }: CliArgument, text: string): string {
  return required || value !== undefined ? text : `[${text}]`;
}
