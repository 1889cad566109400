import type { StructuredText } from '../section.ts';
import { readDocx } from './read-docx.ts';
import { readEpub } from './read-epub.ts';
import { readOpenDocument } from './read-opendocument.ts';
import { readPptx } from './read-pptx.ts';
import { readXlsx } from './read-xlsx.ts';

/** Readers of archive formats. */
export const OFFICE_READERS = {
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
  odt: (bytes) => readOpenDocument(bytes, 'odt'),
  ods: (bytes) => readOpenDocument(bytes, 'ods'),
  odp: (bytes) => readOpenDocument(bytes, 'odp'),
  epub: readEpub,
} satisfies Record<string, (bytes: Uint8Array) => Promise<StructuredText>>;
