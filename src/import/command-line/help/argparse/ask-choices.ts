import type { Ask } from '../../ask-command.ts';
import type { CommandPage, PageCommand } from '../../command-page.ts';

/** A word that is no subcommand of any program. */
const NO_COMMAND = 'pegboard-asks-for-subcommands';

/**
 * A page of argparse with the subcommands that its help leaves out. Where they have a name in common (`metavar`), one without a help text
 * stands in no list; argparse names them all when it refuses a word that is none.
 */
export async function withHiddenCommands(page: CommandPage, ask: Ask): Promise<CommandPage> {
  const { stderr, stdout } = await ask([...page.command, NO_COMMAND, '--help']);
  const names = readChoices(`${stderr}\n${stdout}`);
  const known = new Set(page.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const hidden = names.filter((name) => !known.has(name)).map((name): PageCommand => ({ name, description: '' }));
  return hidden.length === 0 ? page : { ...page, commands: [...page.commands, ...hidden] };
}

/** `invalid choice: 'x' (choose from 'start', 'stop')`; Python 3.12 and later write the names without quotes. */
function readChoices(text: string): string[] {
  const list = /invalid choice: .*?\(choose from (.*?)\)\s*$/ms.exec(text)?.[1] ?? '';
  return list
    .split(/,\s*/)
    .map((name) => name.trim().replaceAll(/^['"]|['"]$/g, ''))
    .filter((name) => /^[\w.:-]+$/.test(name));
}
