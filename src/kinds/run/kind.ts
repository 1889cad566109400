import type { z } from 'zod';
import { cannotHoldPath } from '../../guard/policy/tool-paths.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
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
import {
  type CommandsSettings,
  fixedFolderOf,
  programFolderOf,
  readCommands,
  type RunCommand,
} from './commands-settings.ts';
import { runPaths } from './run-paths.ts';
import type { runKeys } from './schema.ts';

const withTool = loadOnce(() => import('./run-tool.ts'));
const withCheck = loadOnce(() => import('./check-run.ts'));

/** `type: run`: commands with templates, run in order. */
export const run = defineKind({
  type: 'run',
  schema: KIND_SCHEMAS.run,
  isSound: true,
  paths: [...RUNNING_PATHS, 'commands.*.workingDir'],
  // Validated by its schema just before.
  read: (written, context) => readCommands(written as z.input<typeof runKeys>, context),
  check: ({ settings, paths }) =>
    withCheck(({ checkRun }) => checkRunning(settings.running, checkRun(settings, paths))),
  secrets: ({ settings }, env) => passedSecrets(settings.running, env),
  tools: (entry, host) => withTool(({ runTool }) => [runTool(entry, host)]),
  // The schema also marks paths (format: path).
  pathArguments: ({ settings, paths }, host) => {
    const known = runPaths(settings, paths ?? [], host);
    return paths !== undefined || known.names.length > 0 || cannotHoldPath(withoutFiles(settings)) ? known : undefined;
  },
  walks: ({ settings: { commands, running }, paths }, host) =>
    paths?.length === 0 ? [] : commands.flatMap((command) => walkedFolders(fixedFolderOf(command), running, host)),
  ownFiles: ({ settings: { commands, running } }, host) =>
    commands.flatMap((command) =>
      programFiles(
        [command.cmd, ...command.args.map(({ text }) => text)],
        programFolderOf(command, running) ?? baseFolder(running, host),
      ),
    ),
  dryRun: ({ entry, input, host }) => withTool(({ dryRunCommands }) => dryRunCommands(entry.settings, input, host)),
  describe: async ({ settings: { commands, running } }, host) => [
    ...commands.map((command) => ['command', describeCommand(command)] as const),
    ...(await describeRunning(running, host?.cwd)),
  ],
  doctor: ({ settings: { commands, running } }, { cwd }) =>
    findRunningNeeds(
      running,
      commands.map((command) => ({ program: command.cmd, folder: programFolderOf(command, running) })),
      cwd,
    ),
});

/** Returns the schema of arguments that commands get unchanged: the board chooses the path of a file. */
function withoutFiles({ schema, files = {} }: CommandsSettings): JsonSchema {
  const properties = isPlainObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return { ...schema, properties: Object.fromEntries(properties.filter(([name]) => !Object.hasOwn(files, name))) };
}

function describeCommand({ cmd, args, stdin, when }: RunCommand): string {
  const words = args.map(({ text, when: condition }) =>
    condition === undefined ? quoteWord(text) : `[${quoteWord(text)} when ${condition}]`,
  );
  return [
    quoteWord(cmd),
    ...words,
    ...(stdin === undefined ? [] : [`(reads ${quoteWord(stdin)})`]),
    ...(when === undefined ? [] : [`(when ${when})`]),
  ].join(' ');
}
