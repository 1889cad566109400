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
