import { knownOf } from '../packs/knowledge.ts';
import type { Ask } from './ask-command.ts';
import { type CommandPage, emptyPage, type PageReader } from './command-page.ts';
import { cobraReader, createFishReader } from './completion-readers.ts';
import { helpReader } from './help/help-reader.ts';
import { findManPage } from './man/find-man-page.ts';
import { parseMan } from './man/parse-man.ts';
import { mergePages } from './merge-pages.ts';

/** Folders with files about commands. */
export interface PageFolders {
  /** Manual pages. Default: none. */
  readonly manual?: readonly string[] | undefined;
  /** Fish completions. Default: none. */
  readonly fish?: readonly string[] | undefined;
}

/** Asks all sources about a command, and merges their pages. */
export async function readPage(
  command: readonly string[],
  ask: Ask,
  { manual = [], fish = [] }: PageFolders = {},
): Promise<CommandPage> {
  // Most trusted first.
  const readers: readonly PageReader[] =
    knownOf(command[0] ?? '', 'help') === 'manual'
      ? [roffHelpReader]
      : [helpReader, createManReader(manual), cobraReader, createFishReader(fish)];
  let page = emptyPage(command);
  for (const reader of readers) {
    if (!reader.wants(page)) continue;
    const found = await reader.read(command, ask);
    if (found !== undefined) page = page.sources.length === 0 ? found : mergePages(page, found);
  }
  return page;
}

/** Reads a command's manual page from these folders, without `man` or a formatter. */
function createManReader(folders: readonly string[]): PageReader {
  return {
    source: 'man',
    wants: () => folders.length > 0,
    async read(command) {
      const source = await findManPage(command, folders);
      return source === undefined ? undefined : parseMan(source, command);
    },
  };
}

/** Reads help that is the source of a manual page. */
const roffHelpReader: PageReader = {
  source: 'help',
  wants: () => true,
  async read(command, ask) {
    const { stdout } = await ask([...command, 'help']);
    return /^\.SH /m.test(stdout) ? { ...parseMan(stdout, command), sources: ['help'] } : undefined;
  },
};
