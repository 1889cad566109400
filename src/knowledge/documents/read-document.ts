import { runInTurns } from '../../tool/run-in-turns.ts';
import type { CodeParsers } from './code/code-parser.ts';
import { decodeText } from './decode-text.ts';
import { formatOf } from './document-format.ts';
import { htmlToMarkdown } from './html/html-to-markdown.ts';
import { readPdf } from './read-pdf.ts';
import { scanCode } from './code/scan-code.ts';
import { scanMarkdown } from './scan-markdown.ts';
import { scanText } from './scan-text.ts';
import type { StructuredText } from './section.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** A file's content with its structure, or why it was left out. */
export type ReadDocument =
  | { readonly ok: true; readonly document: StructuredText }
  | { readonly ok: false; readonly reason: string };

/** Reads the bytes of a file by what its name says it is. Never throws for what is in it. */
export async function readDocument(bytes: Uint8Array, path: string, parsers: CodeParsers): Promise<ReadDocument> {
  const format = formatOf(path);
  try {
    if (format.type === 'pdf') return await readPdf(bytes);
    const decoded = decodeText(bytes);
    if (!decoded.ok) return decoded;
    const { text } = decoded;
    if (text.trim() === '') return { ok: false, reason: 'is empty' };
    switch (format.type) {
      case 'html': {
        const converted = htmlToMarkdown(text);
        if (!converted.ok) return converted;
        if (converted.text.trim() === '') return { ok: false, reason: 'is a page without words' };
        return give(converted.text, await runInTurns(scanMarkdown(converted.text)), false);
      }
      case 'markdown':
        return give(text, await runInTurns(scanMarkdown(text)));
      case 'code':
        return give(text, scanCode(text, format.grammar === undefined ? undefined : await parsers.get(format.grammar)));
      case 'text':
        return give(text, scanText(text));
    }
  } catch (error) {
    // A library may fail on a broken file.
    return {
      ok: false,
      reason: `cannot be read as ${format.type}: ${messageOf(error)}`,
    };
  }
}

function give(text: string, sections: StructuredText['sections'], hasLines = true): ReadDocument {
  return { ok: true, document: { text, sections, hasLines } };
}
