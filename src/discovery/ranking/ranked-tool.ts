import type { IndexedTool } from '../indexed-tool.ts';
import type { ToolText } from '../text/read-tool-text.ts';
import type { TermIndex } from './term-index.ts';

const LONGEST_SEQUENCE = 160;

/** What the second look at a candidate needs: words by their numbers, which hold as long as the tool is indexed. */
export interface RankedTool {
  readonly indexed: IndexedTool;
  /** The different words of its name. */
  readonly nameTerms: Int32Array;
  /** Name and description in order, the fields set apart by -1. */
  readonly sequence: Int32Array;
  /** Where the rest of the description begins in the sequence. */
  readonly detailsFrom: number;
}

/** Notes down a tool that was just added to the index. */
export function toRankedTool(indexed: IndexedTool, text: ToolText, index: TermIndex): RankedTool {
  const numbers = (words: ToolText['name']): number[] => words.map(({ stem }) => index.numberOf(stem) ?? -1);
  const name = numbers(text.name);
  const start = [...name, -1, ...numbers(text.description), -1];
  return {
    indexed,
    nameTerms: Int32Array.from(new Set(name)),
    sequence: Int32Array.from([...start, ...numbers(text.details)].slice(0, LONGEST_SEQUENCE)),
    detailsFrom: start.length,
  };
}
