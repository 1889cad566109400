import { ConvertedText } from '../converted-text.ts';
import { decodeText } from '../decode-text.ts';
import { DocumentRefusal, loadPeers } from '../document-refusal.ts';
import { htmlToMarkdown } from '../html/html-to-markdown.ts';
import type { StructuredText } from '../section.ts';
import { type Archive, openArchive } from './archive.ts';
import { attributeOf, childrenOf, findAll, readXmlRoot, resolvePart, textOf } from './xml.ts';

const MAX_CHAPTERS = 5_000;
/** A chapter is parsed at once: a larger one would block the process. */
const MAX_CHAPTER_BYTES = 5_000_000;
/** A book of a million words has about 10 MB; each takes half a second to parse. */
const MAX_BYTES = 50_000_000;

/** Reads a book: its chapters in reading order, under its title. */
export async function readEpub(bytes: Uint8Array): Promise<StructuredText> {
  loadPeers(['yauzl', 'htmlparser2', 'linkedom'], 'EPUB');
  const archive = await openArchive(bytes, 'epub');
  const container = await readXmlRoot(archive, 'META-INF/container.xml', 'container');
  const file = findAll(container, 'rootfile')
    .map((root) => attributeOf(root, 'full-path') ?? '')
    .find((path) => archive.has(path));
  if (file === undefined) throw new DocumentRefusal('is a broken epub file: it names no contents');
  const book = await readXmlRoot(archive, file, 'package');
  const text = new ConvertedText();
  text.heading(1, textOf(findAll(book, 'title')[0]));
  const authors = findAll(book, 'creator').map((author) => textOf(author).trim());
  if (authors.length > 0) text.paragraph(`By ${authors.join(', ')}`);
  const parts = new Map<string, string>();
  for (const item of findAll(book, 'item')) {
    const { id, href, properties = '', 'media-type': type = '' } = item.attributes;
    const isPage = /html/i.test(type) && !/\bnav\b/.test(properties);
    if (id !== undefined && href !== undefined && isPage) parts.set(id, resolvePart(file, decodeAddress(href)));
  }
  const spine = findAll(book, 'spine').flatMap((order) => childrenOf(order, 'itemref'));
  if (spine.length > MAX_CHAPTERS) throw new DocumentRefusal(`has more than ${MAX_CHAPTERS} chapters`);
  const wanted = spine.map((reference) => parts.get(reference.attributes['idref'] ?? ''));
  let left = MAX_BYTES;
  // Each chapter is read once, however often it is named.
  for (const part of new Set(wanted)) {
    if (part === undefined || !archive.has(part)) continue;
    left -= await writeChapter(archive, part, text);
    if (left < 0) throw new DocumentRefusal(`has more than ${MAX_BYTES / 1_000_000} MB of chapters; split it`);
  }
  return text.end('is a book without words');
}

/** Writes a chapter. Returns its size in bytes. */
async function writeChapter(archive: Archive, part: string, text: ConvertedText): Promise<number> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of archive.read(part)) {
    size += chunk.length;
    if (size > MAX_CHAPTER_BYTES)
      throw new DocumentRefusal(`has a chapter of more than ${MAX_CHAPTER_BYTES / 1_000_000} MB (${part})`);
    chunks.push(chunk);
  }
  const decoded = decodeText(Buffer.concat(chunks));
  if (!decoded.ok) return size;
  try {
    text.markdown(htmlToMarkdown(decoded.text, { below: 1 }).trim());
  } catch (error) {
    throw error instanceof DocumentRefusal ? new DocumentRefusal(`${error.message} (${part})`) : error;
  }
  return size;
}

function decodeAddress(address: string): string {
  try {
    return decodeURIComponent(address.replace(/#.*$/s, ''));
  } catch {
    return address;
  }
}
