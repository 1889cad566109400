import { refuseInput, checkDocumentType } from './document-type.ts';
import { hashContent } from '../indexing/hash-content.ts';

/** A text to store. */
export interface Note {
  readonly content: string;
  /** Default: `general`. */
  readonly type?: string | undefined;
  /** What it is about, such as `src/auth/login.ts`. */
  readonly sourcePath?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A note that can be kept. */
export interface CheckedNote {
  /** The same for the same content. */
  readonly id: string;
  readonly content: string;
  readonly type: string;
  readonly sourcePath: string | undefined;
  readonly tags: readonly string[];
}

/** The longest note, in characters. */
const MAX_NOTE = 1_000_000;
/** Characters that are checked for binary data. */
const LOOKED_AT = 4_000;
const MAX_PATH = 1_000;
const MAX_TAGS = 50;
const MAX_TAG = 100;

/** Checks a note and gives it its id. Throws `invalid_arguments` that says what to change. */
export function checkNote(note: Note): CheckedNote {
  if (note.content.length > MAX_NOTE) {
    const size = note.content.length.toLocaleString('en-US');
    const message = `has ${size} characters; the most is ${MAX_NOTE.toLocaleString('en-US')}. Store it in parts, or index it as a file.`;
    throw refuseInput('content', message);
  }
  const content = note.content.replaceAll('\r\n', '\n').normalize().trim();
  if (content === '') throw refuseInput('content', 'is empty. Send the text to remember.');
  if (isBinary(content)) throw refuseInput('content', 'holds binary data. Send text.');
  const sourcePath = note.sourcePath?.trim() || undefined;
  return {
    id: `note:${hashContent(content, [])}`,
    content,
    type: checkDocumentType(note.type ?? 'general'),
    sourcePath: sourcePath === undefined ? undefined : checkSourcePath(sourcePath),
    tags: checkTags(note.tags ?? []),
  };
}

/** Bytes that were taken for text have a NUL, or many characters that no text has. */
function isBinary(content: string): boolean {
  if (content.includes('\0')) return true;
  const start = content.slice(0, LOOKED_AT);
  // oxlint-disable-next-line no-control-regex -- These are what is looked for.
  const strange = start.match(/[\u0001-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/g)?.length ?? 0;
  return strange > start.length / 10;
}

/** Checks a path that documents are filed under. */
export function checkSourcePath(path: string): string {
  if (path.length > MAX_PATH || path.includes('\0')) {
    const message = `is no path: it has ${path.length} characters or a NUL. Use at most ${MAX_PATH}, such as src/auth/login.ts.`;
    throw refuseInput('sourcePath', message);
  }
  return path;
}

/** Checks tags: trimmed, each once. */
export function checkTags(tags: readonly string[]): string[] {
  const clean = [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
  if (clean.length > MAX_TAGS) throw refuseInput('tags', `has ${clean.length}; the most is ${MAX_TAGS}.`);
  const long = clean.find((tag) => tag.length > MAX_TAG || tag.includes('\0'));
  if (long !== undefined)
    throw refuseInput('tags', `"${long.slice(0, 40)}…" is longer than ${MAX_TAG} characters. Use words.`);
  return clean;
}
