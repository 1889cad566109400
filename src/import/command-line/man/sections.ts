import type { ManBlock } from './roff/block-writer.ts';
import { readMan } from './roff/read-man.ts';
import { readMdoc } from './roff/read-mdoc.ts';
import { readRequests } from './roff/read-requests.ts';

/** A section of a manual page with its blocks. */
export interface ManSection {
  readonly title: string;
  readonly blocks: readonly ManBlock[];
}

/** Splits a page at its headings. */
export function toSections(blocks: readonly ManBlock[]): ManSection[] {
  const sections: { title: string; blocks: ManBlock[] }[] = [];
  for (const block of blocks) {
    if (block.type === 'section') sections.push({ title: (block.lines[0] ?? '').toUpperCase(), blocks: [] });
    else sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

/** Returns the text of a block on one line. */
export function textOf({ lines }: ManBlock): string {
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim();
}

/** Reads the blocks of a manual page from its source, in either family of macros, without a formatter. */
export function readBlocks(source: string): ManBlock[] {
  const roff = readRequests(source);
  const isMdoc = roff.lines.some((line) => line.type === 'macro' && (line.name === 'Dd' || line.name === 'Sh'));
  return isMdoc ? readMdoc(roff) : readMan(roff);
}
