import type { HelpPage } from './help-page.ts';
import { parseHelp } from './parse-help.ts';
import { type CliToolData, toCliTool } from './to-cli-tool.ts';

/** Gives what a command prints for `--help`; empty when it prints nothing useful. */
export type ReadHelp = (command: readonly string[]) => Promise<string>;

/** How far an import goes. */
export interface ImportCliOptions {
  /** Subcommands to ask at most. */
  readonly limit?: number;
  /** Tells how far it is. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The tools of a command, and what a person should know about them. */
export interface CliImport {
  readonly tools: readonly CliToolData[];
  readonly notes: readonly string[];
}

const AT_ONCE = 4;

/** Makes tools of a command from its help: one for each subcommand, or one when it has none. */
export async function importCli(
  command: readonly string[],
  readHelp: ReadHelp,
  options: ImportCliOptions = {},
): Promise<CliImport> {
  const { limit = 60, onProgress } = options;
  const page = parseHelp(await readHelp(command), command);
  if (page.commands.length === 0) return toImport([{ command, page, about: '' }]);
  const asked = page.commands.slice(0, limit);
  const found: { command: readonly string[]; page: HelpPage; about: string }[] = [];
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const batch = asked.slice(at, at + AT_ONCE).map(async ({ name, description }) => {
      const words = [...command, name];
      return { command: words, page: parseHelp(await readHelp(words), words), about: description };
    });
    found.push(...(await Promise.all(batch)));
    onProgress?.(found.length, asked.length);
  }
  const nested = found.filter((item) => item.page.commands.length > 0).map((item) => item.command.join(' '));
  const { tools, notes } = toImport(found.filter((item) => item.page.commands.length === 0));
  const rest = page.commands.length - asked.length;
  return {
    tools,
    notes: [
      ...notes,
      ...(nested.length === 0
        ? []
        : [`Have commands of their own: ${nested.join(', ')}. Import them as: pegboard import cli ${nested[0]}`]),
      ...(rest > 0 ? [`${rest} further commands were not asked.`] : []),
    ],
  };
}

function toImport(
  found: readonly { readonly command: readonly string[]; readonly page: HelpPage; readonly about: string }[],
): CliImport {
  const made = found.map(({ command, page, about }) => toCliTool(command, page, about));
  const compound = made.flatMap((item) => item.compound);
  const repeated = made.flatMap((item) => item.repeated);
  return {
    tools: made.map(({ tool }) => tool),
    notes: [
      ...(compound.length === 0 ? [] : [`Left out, for they take several values: ${compound.join(', ')}.`]),
      ...(repeated.length === 0 ? [] : [`Take one value where the command takes several: ${repeated.join(', ')}.`]),
    ],
  };
}
