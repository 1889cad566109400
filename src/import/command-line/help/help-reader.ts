import { knownOf } from '../../packs/knowledge.ts';
import type { Answer, Ask } from '../ask-command.ts';
import type { CommandPage, PageCommand, PageReader } from '../command-page.ts';
import { mergePages } from '../merge-pages.ts';
import { longerHelpCommand, readIndex } from './help-clues.ts';
import { parseHelp } from './parse-help.ts';

/** Reads the output of `--help`, or of `-h` if the command does not support that. */
export const helpReader: PageReader = {
  source: 'help',
  wants: () => true,
  async read(command, ask) {
    const isByLetter = command.length > 1 && knownOf(command[0] ?? '', 'help') === 'letter';
    const answer = isByLetter ? undefined : await ask([...command, '--help']);
    let text = answer === undefined ? '' : helpOf(answer);
    // A subcommand that accepted --help without printing anything may treat -h as a positional, so it is not asked again.
    const isRefused = answer === undefined || (text === '' && answer.code !== 0 && answer.code !== undefined);
    // A whole manual, as git opens: a tool needs its short form. Only then is -h known to mean help.
    if (command.length > 1 && (isRefused || isManual(text))) text = helpOf(await ask([...command, '-h'])) || text;
    if (text === '') return undefined;
    const read = parseHelp(text, command);
    const page = read.hidesCommands === true ? await withHiddenCommands(read, ask) : read;
    const longer = longerHelpCommand(command, text);
    if (longer !== undefined) return withLonger(page, (await ask(longer)).stdout);
    const [program = '', second] = command;
    // kubectl prints the options of every command with a separate command, and says so.
    if (second !== undefined || !text.includes(`Use "${program} options" for a list of global`)) return page;
    const { options } = parseHelp((await ask([program, 'options'])).stdout, command);
    return {
      ...page,
      options: [...page.options, ...options.map((option) => ({ ...option, global: 'anywhere' as const }))],
    };
  },
};

function withLonger(page: CommandPage, text: string): CommandPage {
  const longer = parseHelp(text, page.command);
  const index = readIndex(text);
  // The short list describes each command.
  const short = new Map(page.commands.map((one) => [one.name, one]));
  const all = index.map((one) => ({ ...one, ...short.get(one.name), group: short.get(one.name)?.group ?? one.group }));
  return { ...mergePages(longer, page), commands: all.length > page.commands.length ? all : page.commands };
}

/** Returns the stream with the help; empty if none has it. */
function helpOf({ stdout, stderr }: Answer): string {
  return looksLikeHelp(stdout) ? stdout : looksLikeHelp(stderr) ? stderr : '';
}

function looksLikeHelp(text: string): boolean {
  return (
    /^\s*usage\b/im.test(text) ||
    /^\s*-{1,2}[A-Za-z]/m.test(text) ||
    /\bcommands\b.*:$|^[A-Z][a-z]+ commands$/im.test(text)
  );
}

/** `GIT-LOG(1)    Git Manual    GIT-LOG(1)` */
function isManual(text: string): boolean {
  return /^\s*\S+\(\d\w*\)\s.*\S+\(\d\w*\)$/m.test(text.slice(0, 1000));
}

/** A word that is not a subcommand of any program. */
const NO_COMMAND = 'pegboard-asks-for-subcommands';

/**
 * Adds the subcommands that an argparse help omits. If they share a name (`metavar`), one without a help text is not listed; but
 * argparse names them all when it rejects a word.
 */
async function withHiddenCommands(page: CommandPage, ask: Ask): Promise<CommandPage> {
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
