import { type CommandPage, emptyPage } from './command-page.ts';
import type { Ask } from './ask-command.ts';
import type { PageReader } from './page-reader.ts';
import { mergePages } from './merge-pages.ts';
import { helpReader } from './help/help-reader.ts';
import { createManReader } from './man/man-reader.ts';
import { hasRoffHelp } from './man/plain-groff.ts';
import { roffHelpReader } from './man/roff-help-reader.ts';

/** Asks everything that may know a command, and puts the answers together. */
export async function readPage(
  command: readonly string[],
  ask: Ask,
  manual: readonly string[] = [],
): Promise<CommandPage> {
  // The most trusted first.
  const readers: readonly PageReader[] = hasRoffHelp(command)
    ? [roffHelpReader]
    : [helpReader, createManReader(manual)];
  let page = emptyPage(command);
  for (const reader of readers) {
    if (!reader.wants(page)) continue;
    const found = await reader.read(command, ask);
    if (found !== undefined) page = page.sources.length === 0 ? found : mergePages(page, found);
  }
  return page;
}
