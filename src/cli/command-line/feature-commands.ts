import type { Feature } from '../../load/features/feature.ts';
import type { FeatureCommand } from '../../load/features/feature-command.ts';
import { findConfig, tryFindConfig } from '../shared/board/find-config.ts';
import { lookMode } from '../shared/board/trust.ts';
import { useBoard } from '../shared/board/use-board.ts';
import type { CliContext } from '../shared/cli-context.ts';
import { type Command, defineCommand, FILE_OPTION } from '../shared/command.ts';
import { UsageError } from '../shared/usage-error.ts';

/**
 * Finds a command that a plugin of the board in this folder adds; `undefined` if there is none.
 *
 * Loading plugins runs their code, so untrusted folders have no such commands: a misspelt word must not run anything.
 */
export async function findFeatureCommand(name: string, context: CliContext): Promise<Command | undefined> {
  const files = tryFindConfig([], context);
  if (files === undefined || lookMode(files, context) === 'look') return undefined;
  const { loadConfig } = await import('../../load/load-config.ts');
  const { features } = await loadConfig(files, { cwd: context.cwd, env: context.env, mode: 'run' });
  const found = features.find(({ commands }) => Object.hasOwn(commands, name));
  const command = found?.commands[name];
  return found === undefined || command === undefined ? undefined : toCommand(name, found, command);
}

function toCommand(name: string, feature: Feature, command: FeatureCommand): Command {
  return defineCommand({
    name,
    description: `${command.summary}. Added by the feature "${feature.name}" of this board.`,
    arguments: command.arguments ?? [],
    options: { ...command.options, ...FILE_OPTION },
    examples: command.examples ?? [],
    run: ({ values, positionals, context }) =>
      useBoard(findConfig(values.file, context), { context }, (board) => {
        const open = board.features.find((one) => one.feature.name === feature.name);
        if (open === undefined) {
          const keys = Object.keys(feature.sections).join(', ');
          throw new UsageError(`The feature "${feature.name}" is off: no file of the board has its section (${keys}).`);
        }
        const { file: _, trust: __, ...own } = values;
        return command.run({ values: own, positionals, api: open.api, signal: context.signal });
      }),
  });
}
