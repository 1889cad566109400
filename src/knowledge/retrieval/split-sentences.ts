const LONGEST = 400;
/** A line that begins something of its own: a heading, an item of a list, a row of a table, a quotation. */
const OWN_LINE = /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>)/;
const FENCE = /^\s*(?:```|~~~)/;
/** What stands before the words of a line: marks of headings, lists and quotations. */
const MARKS = /^[\s>]*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)?/;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * The sentences of a passage, word for word as they stand there. Lines of code, tables and lists count as sentences; a
 * sentence that goes on in the next line is one. Headings are left out: they say what a text is about, not what is so.
 */
export function splitSentences(text: string): string[] {
  return splitBlocks(text).flatMap((block) => {
    if (block.isWhole) return trim(block.text);
    // A single line break inside a paragraph ends no sentence, though a segmenter would say so.
    const flat = block.text.replaceAll('\n', ' ');
    return [...segmenter.segment(flat)].flatMap(({ index, segment }) =>
      trim(block.text.slice(index, index + segment.length)),
    );
  });
}

interface Block {
  readonly text: string;
  /** One line of code, or of a table. */
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
