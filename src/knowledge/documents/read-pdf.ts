import type * as Unpdf from 'unpdf';
import { PAGE_END } from './document-format.ts';
import { checkLength, DocumentRefusal, loadPeers } from './document-refusal.ts';
import { HeadingStack, type SourceMark, type StructuredText } from './section.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The most pages: a few bytes can name billions. */
const MAX_PAGES = 20_000;

/**
 * Reads a PDF's text with a section for each page. Throws a refusal if there is none.
 *
 * Form feeds separate pages, one for each page that ends, so that a passage of several pages shows the page of each
 * sentence.
 */
export async function readPdf(bytes: Uint8Array): Promise<StructuredText> {
  // The package has its own types.
  const [unpdf] = loadPeers(['unpdf'], 'PDF') as [typeof Unpdf];
  const stack = new HeadingStack();
  const marks: SourceMark[] = [];
  let text = '';
  let ended = 0;
  try {
    for await (const { number, words } of readPages(unpdf, bytes)) {
      if (words === '') continue;
      if (text !== '') text += `\n${`${PAGE_END}\n`.repeat(number - 1 - ended)}`;
      ended = number - 1;
      marks.push({ at: text.length, number });
      stack.unwritten(text.length, 1, `Page ${number}`);
      text += words;
      checkLength(text.length);
    }
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error;
    const reason = messageOf(error);
    throw new DocumentRefusal(
      /password/i.test(reason) ? 'is a PDF with a password' : `is not a PDF that can be read: ${reason}`,
    );
  }
  if (text === '') throw new DocumentRefusal('is a PDF without text, most likely scanned; run it through OCR first');
  return { text, sections: stack.end(text.length), hasLines: false, marks };
}

/** Yields the pages one after the other: all at once would take the memory of all. */
async function* readPages(
  { getDocumentProxy }: typeof Unpdf,
  bytes: Uint8Array,
): AsyncGenerator<{ readonly number: number; readonly words: string }, void> {
  // The reader detaches the bytes it gets, so it gets a copy.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  if (document.numPages > MAX_PAGES) throw new DocumentRefusal(`has more than ${MAX_PAGES} pages; split it`);
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const words = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    yield { number, words: words.replaceAll(PAGE_END, ' ').trim() };
    page.cleanup();
  }
}
