import { withoutHeadings } from '../chunking/format-headings.ts';
import type { LineRange, StoredChunk } from '../vector-store.ts';
import type { KnowledgeHit } from './knowledge-search.ts';

/** A hit before explanation. */
export interface Passage extends Omit<KnowledgeHit, 'explanation' | 'highlights' | 'note'> {
  /** The chunk with the best score. */
  readonly best: string;
  /** The texts of its chunks as in the source, with their lines and the heading above each. */
  readonly parts: readonly {
    readonly body: string;
    readonly lines: LineRange | undefined;
    readonly heading: string | undefined;
  }[];
}

export interface ScoredChunk {
  readonly chunk: StoredChunk;
  readonly score: number;
}

/** The longest merged passage, in UTF-16 code units. */
const MAX_PASSAGE = 4_000;
const MAX_OVERLAP = 2_000;
const MIN_OVERLAP = 10;
/** The header row of a table and the line below it, at the start of a text. */
export const TABLE_HEADER = /^\|[^\n]*\n\|[-:| \t]*\n/;

/** Merges neighbouring chunks of a document into passages, each ranked like its best chunk. */
export function mergeNeighbours(ranked: readonly ScoredChunk[]): Passage[] {
  const groups: ScoredChunk[][] = [];
  for (const scored of ranked) {
    const group = groups.find((candidate) => isNeighbour(candidate, scored));
    if (group === undefined) groups.push([scored]);
    else group.push(scored);
  }
  return groups.map(toPassage);
}

function isNeighbour(group: readonly ScoredChunk[], { chunk }: ScoredChunk): boolean {
  if (group[0]?.chunk.documentId !== chunk.documentId) return false;
  const length = group.reduce((sum, member) => sum + member.chunk.text.length, chunk.text.length);
  return length <= MAX_PASSAGE && group.some((member) => Math.abs(member.chunk.position - chunk.position) === 1);
}

function toPassage(group: readonly ScoredChunk[]): Passage {
  const best = group.reduce((found, member) => (member.score > found.score ? member : found));
  const chunks = group.map(({ chunk }) => chunk).toSorted((a, b) => a.position - b.position);
  const [first = best.chunk] = chunks;
  const { documentId, headings, type, tags, sourcePath } = first;
  const [from, to] = [first.lines?.from, chunks.at(-1)?.lines?.to];
  return {
    best: best.chunk.id,
    parts: chunks.map(({ text, headings, lines }) => ({
      body: withoutHeadings(text, headings),
      lines,
      heading: headings.at(-1),
    })),
    score: best.score,
    text: chunks
      .map(({ text, headings }, place) => (place === 0 ? text : withoutHeadings(text, headings)))
      .reduce(joinTexts),
    documentId,
    chunkIds: chunks.map(({ id }) => id),
    headings,
    lines: from === undefined || to === undefined ? undefined : { from, to },
    type,
    tags,
    sourcePath,
    duplicates: [],
  };
}

/** Joins two texts; the second may begin with the end of the first. */
function joinTexts(left: string, given: string): string {
  const right = withoutTableHeader(given, left);
  const most = Math.min(MAX_OVERLAP, left.length, right.length);
  for (let length = most; length >= MIN_OVERLAP; length--) {
    if (left.endsWith(right.slice(0, length))) return left + right.slice(length);
  }
  return `${left}\n${right}`;
}

/** Removes a table header that a chunk of rows repeats from the text before. */
function withoutTableHeader(text: string, before: string): string {
  const header = TABLE_HEADER.exec(text)?.[0];
  return header !== undefined && before.includes(header) ? text.slice(header.length) : text;
}
