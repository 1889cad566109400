import { readTerms } from '../../text/read-terms.ts';
import type { Embedder } from '../../vectors/embedder.ts';
import { PAGE_END, type PlaceUnit, placeUnit } from '../documents/document-format.ts';
import type { Highlight } from './knowledge-search.ts';
import { type Passage, TABLE_HEADER } from './read-passages.ts';

/** The query that sentences are compared with. */
interface HighlightQuery {
  readonly query: string;
  /** Finds sentences by meaning in passages that share no word with the query. */
  readonly meaning?: { readonly embedder: Embedder; readonly vector: Float32Array } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The most sentences of one passage. */
const MOST = 3;
/** The least share of the best sentence's score that another needs. */
const SHARE = 0.6;
/** Limits for the sentences sent to a model, because the answer waits for it. */
const MOST_PASSAGES = 3;
const MOST_SENTENCES = 32;
const PATIENCE = 2_000;

/**
 * Finds the sentences of each passage that answer the query: those with most of its words, weighed by rarity. If no
 * sentence has any, the nearest by meaning, if there is a model and it answers in time.
 */
export async function highlightPassages(
  passages: readonly Passage[],
  query: HighlightQuery,
): Promise<readonly (readonly Highlight[])[]> {
  const terms = [...new Set(readTerms(query.query))];
  const sentences = passages.map(({ text }) => [...new Set(splitSentences(text))]);
  const chosen = sentences.map((all) => pickByWords(all, terms));
  const silent = chosen.flatMap((picked, place) => (picked.length === 0 ? [place] : [])).slice(0, MOST_PASSAGES);
  for (const [place, sentence] of await pickByMeaning(silent, sentences, query)) chosen[place] = [sentence];
  return passages.map((passage, place) =>
    (chosen[place] ?? []).map((text): Highlight => ({ text, ...placeOf(text, passage) })),
  );
}

function pickByWords(sentences: readonly string[], terms: readonly string[]): string[] {
  const words = sentences.map((sentence) => new Set(readTerms(sentence)));
  const weights = terms.map((term) => {
    const having = words.filter((set) => set.has(term)).length;
    return Math.log(1 + sentences.length / Math.max(1, having));
  });
  const scores = words.map((set) => terms.reduce((sum, term, n) => sum + (set.has(term) ? (weights[n] ?? 0) : 0), 0));
  const best = Math.max(0, ...scores);
  if (best === 0) return [];
  const order = [...sentences.keys()]
    .filter((place) => (scores[place] ?? 0) >= best * SHARE)
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, MOST);
  return order.toSorted((a, b) => a - b).map((place) => sentences[place] ?? '');
}

/** Finds the nearest sentence of each of these passages. */
async function pickByMeaning(
  places: readonly number[],
  sentences: readonly (readonly string[])[],
  { meaning, signal }: HighlightQuery,
): Promise<Map<number, string>> {
  const asked = places.flatMap((place) => (sentences[place] ?? []).map((text) => ({ place, text })));
  const texts = asked.slice(0, MOST_SENTENCES);
  const found = new Map<number, string>();
  if (meaning === undefined || texts.length === 0) return found;
  const late = AbortSignal.timeout(PATIENCE);
  try {
    const vectors = await meaning.embedder.embed(
      texts.map(({ text }) => text),
      { as: 'document', signal: signal === undefined ? late : AbortSignal.any([signal, late]) },
    );
    const nearest = new Map<number, number>();
    for (const [n, { place, text }] of texts.entries()) {
      const score = dot(vectors[n], meaning.vector);
      if (score <= (nearest.get(place) ?? 0)) continue;
      nearest.set(place, score);
      found.set(place, text);
    }
  } catch {
    // A passage without highlights is still an answer.
    signal?.throwIfAborted();
  }
  return found;
}

function dot(left: Float32Array | undefined, right: Float32Array): number {
  return left?.reduce((sum, value, place) => sum + value * (right[place] ?? 0), 0) ?? 0;
}

/** Returns the place of a sentence in the source: its line or page, and the nearest heading above it. */
function placeOf(sentence: string, { parts, sourcePath, headings }: Passage): Omit<Highlight, 'text'> {
  const part = parts.find(({ body }) => body.includes(sentence));
  const before = part?.body.slice(0, part.body.indexOf(sentence)) ?? '';
  const heading = nearestHeading(before) ?? part?.heading ?? headings.at(-1);
  const unit = sourcePath === undefined ? undefined : placeUnit(sourcePath);
  const number = part === undefined || unit === undefined ? undefined : numberOf(part, before, unit);
  return {
    ...(number === undefined || unit === undefined ? {} : { [unit]: number }),
    ...(heading === undefined || heading === '' ? {} : { heading }),
  };
}

/** Returns the line, page, slide, row or cell in which a sentence begins, from the text before it. */
function numberOf(part: Passage['parts'][number], before: string, unit: PlaceUnit): number | undefined {
  if (unit === 'line') return lineOf(part, countLines(before) - 1);
  if (part.lines === undefined) return undefined;
  const { from, to } = part.lines;
  if (unit === 'page') return Math.min(to, from + before.split(PAGE_END).length - 1);
  return from === to ? from : undefined;
}

/** Returns the source line of a line in a chunk. A chunk of table rows may repeat a header from elsewhere in the source. */
function lineOf({ body, lines }: Passage['parts'][number], line: number): number | undefined {
  if (lines === undefined) return undefined;
  const added = countLines(body) - (lines.to - lines.from + 1);
  if (added === 0) return lines.from + line;
  const isTable = (added === 1 || added === 2) && TABLE_HEADER.test(body);
  // Then only rows have a line, if each is one line of the source.
  return isTable && line >= 2 ? lines.from + line - added : undefined;
}

function countLines(text: string): number {
  return (text.match(/\n/g)?.length ?? 0) + 1;
}

/** Returns the last Markdown heading of a text, ignoring code blocks. */
function nearestHeading(text: string): string | undefined {
  let [found, isCode]: [string | undefined, boolean] = [undefined, false];
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    else if (!isCode) found = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1] ?? found;
  }
  return found;
}

const LONGEST = 400;
/** A line that starts a heading, a list item, a table row or a quotation. */
const OWN_LINE = /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)/;
const FENCE = /^\s*(?:```|~~~)/;
/** Marks before the words of a line: of headings, lists and quotations. */
const MARKS = /^[\s>]*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)?/;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Splits a passage into sentences, quoted exactly. Lines of code, tables and lists count as sentences; a sentence may
 * span lines. Headings are left out: they name a topic but state nothing.
 */
export function splitSentences(text: string): string[] {
  return splitBlocks(text).flatMap((block) => {
    if (block.isWhole) return trim(block.text);
    // A single line break inside a paragraph does not end a sentence, although the segmenter would split there.
    const flat = block.text.replaceAll('\n', ' ');
    return [...segmenter.segment(flat)].flatMap(({ index, segment }) =>
      trim(block.text.slice(index, index + segment.length)),
    );
  });
}

interface Block {
  readonly text: string;
  /** True for one line of code or of a table. */
  readonly isWhole: boolean;
}

function splitBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: string[] = [];
  let isCode = false;
  const close = (): void => {
    if (open.length > 0) blocks.push({ text: open.join('\n'), isWhole: false });
    open = [];
  };
  for (const line of text.split('\n')) {
    const isFence = FENCE.test(line);
    if (isFence || isCode || line.trim() === '' || OWN_LINE.test(line)) close();
    if (isFence) isCode = !isCode;
    else if (isCode || /^\s*\|/.test(line)) blocks.push({ text: line, isWhole: true });
    else if (line.trim() !== '' && !/^\s*#{1,6}\s/.test(line)) open.push(line);
  }
  close();
  return blocks;
}

function trim(sentence: string): string[] {
  const words = sentence.replace(MARKS, '').trim();
  return /[\p{L}\p{N}]/u.test(words) ? [words.length > LONGEST ? words.slice(0, LONGEST).toWellFormed() : words] : [];
}
