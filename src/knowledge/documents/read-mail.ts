import type * as PostalMime from 'postal-mime';
import { ConvertedText } from './converted-text.ts';
import { DocumentRefusal, loadPeers } from './document-refusal.ts';
import { htmlToMarkdown } from './html/html-to-markdown.ts';
import type { StructuredText } from './section.ts';

/** Nested parts. */
const MAX_DEPTH = 20;
/** Nested messages; each is parsed again for every level. */
const MAX_FORWARDED = 3;
const MAX_HEADERS = 1_000_000;
/** The parser reads a mail at once and needs time and memory for each line of text; lines of base64 cost almost nothing. */
const MAX_LINES = 50_000;
const MAX_NAMED = 50;
/** A mail has at least one of these. */
const HEADERS = new Set(['from', 'to', 'subject', 'date', 'message-id', 'received']);

/** Reads a mail: its subject, people and date, its text, and the names of attachments. */
export async function readMail(bytes: Uint8Array): Promise<StructuredText> {
  const mail = await parse(bytes, 'Mail');
  if (!mail.headers.some(({ key }) => HEADERS.has(key)))
    throw new DocumentRefusal('is not a mail: it has no sender, subject or date');
  const text = new ConvertedText();
  text.heading(1, mail.subject ?? '(no subject)');
  const facts = [
    ['From', mail.from === undefined ? '' : nameOf(mail.from)],
    ['To', (mail.to ?? []).map(nameOf).join(', ')],
    ['Cc', (mail.cc ?? []).map(nameOf).join(', ')],
    ['Date', mail.date ?? ''],
  ].filter(([, value]) => value !== '');
  text.paragraph(facts.map(([name, value]) => `${name}: ${value}`).join('\n'));
  const body = (mail.text ?? '').trim();
  if (body !== '') {
    for (const paragraph of body.replaceAll('\r\n', '\n').split(/\n{2,}/)) text.paragraph(paragraph);
  } else if (mail.html !== undefined) text.markdown(htmlToMarkdown(mail.html, { below: 1 }).trim());
  const files = mail.attachments.flatMap(({ filename }) => (filename === null ? [] : [filename]));
  const more = files.length > MAX_NAMED ? `, and ${files.length - MAX_NAMED} more` : '';
  if (files.length > 0) text.paragraph(`Attached: ${files.slice(0, MAX_NAMED).join(', ')}${more}`);
  return text.end('is a mail without words');
}

/** Reads a page that a browser saved with all its parts in one file. */
export async function readMhtml(bytes: Uint8Array): Promise<StructuredText> {
  const { html, text } = await parse(bytes, 'MHTML');
  const converted = new ConvertedText();
  if (html !== undefined) converted.markdown(htmlToMarkdown(html).trim());
  else converted.paragraph(text ?? '');
  return converted.end('is a page without words');
}

async function parse(bytes: Uint8Array, format: string): Promise<PostalMime.Email> {
  if (textLines(bytes) > MAX_LINES)
    throw new DocumentRefusal(`has more than ${MAX_LINES} lines of text; save attachments separately`);
  // The package has its own types.
  const [{ default: Parser }] = loadPeers(['postal-mime', 'linkedom'], format) as [typeof PostalMime];
  return Parser.parse(bytes, {
    maxNestingDepth: MAX_DEPTH,
    maxRfc822NestingDepth: MAX_FORWARDED,
    maxHeadersSize: MAX_HEADERS,
  });
}

function nameOf(address: PostalMime.Address): string {
  if (address.group !== undefined) return address.name;
  if (address.name === '' || address.name === address.address) return address.address;
  return `${address.name} <${address.address}>`;
}

/** Counts the lines that are not full lines of base64. */
function textLines(bytes: Uint8Array): number {
  let count = 0;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    if (!isBase64(bytes, start, end) && ++count > MAX_LINES) break;
    start = end + 1;
  }
  return count;
}

function isBase64(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 60) return false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    // Letters and digits, `+`, `/`, `=` and the line end; anything else is text.
    const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
    const isOther = (byte >= 0x2f && byte <= 0x39) || byte === 0x2b || byte === 0x3d || byte === 0x0d;
    if (!isLetter && !isOther) return false;
  }
  return true;
}
