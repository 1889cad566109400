import type { ManBlock } from './man-block.ts';
import { readMan } from './read-man.ts';
import { readMdoc } from './read-mdoc.ts';
import { readRequests } from './read-requests.ts';

/** The blocks of a manual page from its source, of either family of macros. No formatter is needed. */
export function readBlocks(source: string): ManBlock[] {
  const roff = readRequests(source);
  const isMdoc = roff.lines.some((line) => line.type === 'macro' && (line.name === 'Dd' || line.name === 'Sh'));
  return isMdoc ? readMdoc(roff) : readMan(roff);
}
