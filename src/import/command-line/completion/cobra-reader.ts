import { emptyPage } from '../command-page.ts';
import type { PageReader } from '../page-reader.ts';

/** Asks programs built with Cobra which subcommands they have, where their help does not list them. */
export const cobraReader: PageReader = {
  source: 'completion',
  // Only a program that is known to be Cobra's has the hidden command; another would take it for a word of its own.
  wants: ({ parser, commands, options, positionals }) =>
    parser === 'cobra' &&
    commands.length === 0 &&
    positionals.every(({ name }) => /^(?:sub)?command$/i.test(name)) &&
    options.every(({ flags }) => isHelp(flags)),
  async read(command, ask) {
    const [program = '', ...words] = command;
    const { stdout, code } = await ask([program, '__complete', ...words, '']);
    const commands = code === 0 ? parseCompletions(stdout) : [];
    return commands.length === 0 ? undefined : { ...emptyPage(command), commands, sources: ['completion'] };
  },
};

function isHelp(flags: readonly string[]): boolean {
  return flags.includes('--help') || flags.includes('--version');
}

/** `name<TAB>description` on each line, and a last one such as `:4`. Names without a description may be files or values. */
export function parseCompletions(text: string): { readonly name: string; readonly description: string }[] {
  const lines = text.trimEnd().split('\n');
  if (!/^:\d+$/.test(lines.at(-1) ?? '')) return [];
  return lines.slice(0, -1).flatMap((line) => {
    const [name = '', description = ''] = line.split('\t', 2);
    const isCommand = /^[a-z][\w-]*$/.test(name) && description !== '' && name !== 'help';
    return isCommand ? [{ name, description }] : [];
  });
}
