import type { IndexedTool } from '../indexed-tool.ts';
import type { ToolText } from '../text/read-tool-text.ts';
import type { CellPool, Cells } from './cell-pool.ts';
import type { TermIndex } from './term-index.ts';

const LONGEST_SEQUENCE = 160;
/** Sets the fields apart. */
const BORDER = -1;

/** What the second look at a candidate needs: words by their numbers, which hold as long as the tool is indexed. */
export interface RankedTool {
  readonly indexed: IndexedTool;
  /** The different words of its name; then name and description in order. */
  readonly cells: Cells;
  /** How many different words its name has. */
  readonly nameCount: number;
  /** Where the rest of the description begins, counted from the first cell. */
  readonly detailsFrom: number;
  readonly end: number;
}

/** Where a tool is noted down. */
interface Place {
  readonly index: TermIndex;
  readonly pool: CellPool;
}

/** Notes down a tool that was just added to the index. */
export function toRankedTool(indexed: IndexedTool, text: ToolText, { index, pool }: Place): RankedTool {
  const { name, description, details } = text;
  const different = new Set(name.map((word) => index.number(word)));
  const last = different.size + Math.min(LONGEST_SEQUENCE, name.length + description.length + details.length + 2);
  const cells = pool.take(last);
  let end = 0;
  const put = (term: number): void => {
    if (end < last) cells.whole[cells.start + end++] = term;
  };
  for (const term of different) put(term);
  for (const word of name) put(index.number(word));
  put(BORDER);
  for (const word of description) put(index.number(word));
  put(BORDER);
  const detailsFrom = end;
  for (const word of details) put(index.number(word));
  return { indexed, cells, nameCount: different.size, detailsFrom, end };
}
