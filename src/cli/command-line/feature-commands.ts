import { tryFindConfig } from '../shared/board/find-config.ts';
import { lookMode } from '../shared/board/trust.ts';
import type { CliContext } from '../shared/cli-context.ts';
import type { Command } from '../shared/command.ts';
import { loadCommand } from './commands.ts';

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
  const entry = found?.commands[name];
  if (found === undefined || entry === undefined) return undefined;
  const command = await loadCommand(name, entry);
  return { ...command, description: `${command.description} Added by the feature "${found.name}" of this board.` };
}
