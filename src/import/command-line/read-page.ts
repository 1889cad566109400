import { type CommandPage, emptyPage } from './command-page.ts';
import type { Ask } from './ask-command.ts';
import type { PageReader } from './page-reader.ts';
import { mergePages } from './merge-pages.ts';
import { cobraReader } from './completion/cobra-reader.ts';
import { createFishReader } from './completion/fish-reader.ts';
import { helpReader } from './help/help-reader.ts';
import { createManReader } from './man/man-reader.ts';
import { knownOf } from '../packs/knowledge.ts';
import { roffHelpReader } from './man/roff-help-reader.ts';

/** Folders with files about commands. */
export interface PageFolders {
  /** Manual pages. Default: none */
  readonly manual?: readonly string[] | undefined;
  /** Completions for fish. Default: none */
  readonly fish?: readonly string[] | undefined;
}

/** Asks everything that may know a command, and puts the answers together. */
export async function readPage(
  command: readonly string[],
  ask: Ask,
  { manual = [], fish = [] }: PageFolders = {},
): Promise<CommandPage> {
  // The most trusted first.
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
