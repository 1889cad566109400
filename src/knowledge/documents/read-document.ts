import { runInTurns } from '../../tool/run-in-turns.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { CodeParsers } from './code/code-parser.ts';
import { scanCode, scanText } from './code/scan-code.ts';
import { decodeText, isOleFile } from './decode-text.ts';
import { type DocumentFormat, formatOf } from './document-format.ts';
import { DocumentRefusal } from './document-refusal.ts';
import type { FrontMatter, TextWithFront } from './front-matter.ts';
import { htmlToMarkdown } from './html/html-to-markdown.ts';
import { readCsv } from './read-csv.ts';
import { readMail, readMhtml } from './read-mail.ts';
import { readNotebook } from './read-notebook.ts';
import { readPdf } from './read-pdf.ts';
import { scanMarkdown } from './scan-markdown.ts';
import type { StructuredText } from './section.ts';
import { readDocx } from './office/read-docx.ts';
import { readEpub } from './office/read-epub.ts';
import { readOpenDocument } from './office/read-opendocument.ts';
import { readPptx } from './office/read-pptx.ts';
import { readXlsx } from './office/read-xlsx.ts';

export type ReadDocument =
  | {
      readonly ok: true;
      readonly document: StructuredText;
      /** The encoding of its text, if it is not Unicode. */
      readonly encoding?: string | undefined;
      readonly front?: FrontMatter | undefined;
    }
  | { readonly ok: false; readonly reason: string };

/** Splits off the front matter of Markdown. Most files have none and need no parser for it. */
async function splitFront(text: string, format: string): Promise<TextWithFront> {
  if (format !== 'markdown' || !/^(?:---|\+\+\+)/.test(text)) return { text, front: undefined };
  const { takeFrontMatter } = await import('./front-matter.ts');
  return takeFrontMatter(text);
}

/** Reads the bytes of a file by the format of its name. Never throws because of its content. */
export async function readDocument(bytes: Uint8Array, path: string, parsers: CodeParsers): Promise<ReadDocument> {
  const format = formatOf(path);
  try {
    const reader = READERS[format.type];
    if (reader !== undefined) return { ok: true, document: await reader(bytes) };
    if (isOleFile(bytes))
      return { ok: false, reason: 'has a format of Office before 2007; save it as .docx, .xlsx or .pptx' };
    const decoded = decodeText(bytes);
    if (!decoded.ok) return decoded;
    if (decoded.text.trim() === '') return { ok: false, reason: 'is empty' };
    const { text, front } = await splitFront(decoded.text, format.type);
    const document = await readText(text, format, { parsers, title: front?.title });
    return { ok: true, document, encoding: decoded.encoding, front };
  } catch (error) {
    if (error instanceof DocumentRefusal) return { ok: false, reason: error.message };
    // A library may fail on a broken file.
    return { ok: false, reason: `cannot be read as ${format.type}: ${messageOf(error)}` };
  }
}

/** Readers of formats whose bytes are not text. */
const READERS: Readonly<Partial<Record<DocumentFormat['type'], (bytes: Uint8Array) => Promise<StructuredText>>>> = {
  pdf: readPdf,
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
  odt: (bytes) => readOpenDocument(bytes, 'odt'),
  ods: (bytes) => readOpenDocument(bytes, 'ods'),
  odp: (bytes) => readOpenDocument(bytes, 'odp'),
  epub: readEpub,
  mail: readMail,
  mhtml: readMhtml,
};

async function readText(
  text: string,
  format: DocumentFormat,
  { parsers, title }: { readonly parsers: CodeParsers; readonly title: string | undefined },
): Promise<StructuredText> {
  switch (format.type) {
    case 'html': {
      const page = htmlToMarkdown(text);
      if (page.trim() === '') throw new DocumentRefusal('is a page without words');
      return { text: page, sections: await runInTurns(scanMarkdown(page)), hasLines: false };
    }
    case 'csv':
      return readCsv(text, format.separator);
    case 'notebook':
      return readNotebook(text);
    case 'markdown':
      return { text, sections: await runInTurns(scanMarkdown(text, title)), hasLines: true };
    case 'code': {
      const parser = format.grammar === undefined ? undefined : await parsers.get(format.grammar);
      return { text, sections: scanCode(text, parser), hasLines: true };
    }
    default:
      return { text, sections: scanText(text), hasLines: true };
  }
}
