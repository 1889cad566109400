import type { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import {
  checkRunning,
  describeRunning,
  findRunningNeeds,
  passedSecrets,
  quoteWord,
  RUNNING_PATHS,
} from '../running/run-settings.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import { readCommands, type RunCommand } from './commands-settings.ts';
import { runPaths } from './run-paths.ts';
import type { runKeys } from './schema.ts';

/** `type: run`: commands with templates, one after the other. */
export const run = defineKind({
  type: 'run',
  schema: KIND_SCHEMAS.run,
  paths: [...RUNNING_PATHS, 'commands.*.workingDir'],
  // Checked against its schema just before.
  read: (written, context) => readCommands(written as z.input<typeof runKeys>, context),
  check: async ({ settings }) => {
    const { checkRun } = await import('./check-run.ts');
    return [...checkRun(settings), ...(await checkRunning(settings.running))];
  },
  secrets: ({ settings }, env) => passedSecrets(settings.running, env),
  tools: async (entry, host) => [(await import('./run-tool.ts')).runTool(entry, host)],
  pathArguments: ({ settings, paths = [] }, host) => runPaths(settings, paths, host),
  dryRun: async ({ entry, input, host }) => {
    const { dryRunCommands } = await import('./run-tool.ts');
    return dryRunCommands(entry.settings, input, host);
  },
  describe: async ({ settings: { commands, running } }) => [
    ...commands.map((command) => ['command', describeCommand(command)] as const),
    ...(await describeRunning(running)),
  ],
  doctor: ({ settings: { commands, running } }, { cwd }) =>
    findRunningNeeds(
      running,
      commands.map(({ cmd, workingDir }) => ({ program: cmd, folder: workingDir })),
      cwd,
    ),
});

function describeCommand({ cmd, args, when }: RunCommand): string {
  const words = args.map(({ text, when: condition }) =>
    condition === undefined ? quoteWord(text) : `[${quoteWord(text)} when ${condition}]`,
  );
  return [quoteWord(cmd), ...words, ...(when === undefined ? [] : [`(when ${when})`])].join(' ');
}
