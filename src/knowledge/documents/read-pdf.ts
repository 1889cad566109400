import type * as Unpdf from 'unpdf';
import { HeadingStack, type SourceMark, type StructuredText } from './section.ts';
import { loadPeers } from './load-peers.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** A PDF's text, a section for each page; or why there is none. */
export async function readPdf(
  bytes: Uint8Array,
): Promise<{ ok: true; document: StructuredText } | { ok: false; reason: string }> {
  const loaded = loadPeers(['unpdf'], 'PDF');
  if (!loaded.ok) return loaded;
  // The peer is what its own types say it is.
  const [{ getDocumentProxy, extractText }] = loaded.peers as [typeof Unpdf];
  let pages: readonly string[];
  try {
    // The reader detaches the bytes it is given: it gets a copy.
    const proxy = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    pages = (await extractText(proxy, { mergePages: false })).text;
  } catch (error) {
    const reason = messageOf(error);
    return {
      ok: false,
      reason: /password/i.test(reason) ? 'is a PDF with a password' : `is not a PDF that can be read: ${reason}`,
    };
  }
  if (pages.every((page) => page.trim() === ''))
    return { ok: false, reason: 'is a PDF without text, most likely scanned; run it through OCR first' };
  const stack = new HeadingStack();
  const marks: SourceMark[] = [];
  let text = '';
  for (const [index, page] of pages.entries()) {
    if (page.trim() === '') continue;
    marks.push({ at: text.length, number: index + 1 });
    stack.unwritten(text.length, 1, `Page ${index + 1}`);
    text += `${page.trim()}\n\n`;
  }
  return { ok: true, document: { text, sections: stack.end(text.length), hasLines: false, marks } };
}
