import { isPlainObject } from '../../tool/json.ts';
import { hashContent } from '../indexing/known-files.ts';
import type { DocumentFacts } from '../vector-store.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { runInTurns } from '../../tool/run-in-turns.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import type { ChunkSettings } from '../chunking/chunk.ts';
import { scanMarkdown } from '../documents/scan-markdown.ts';
import { writeDocuments, type WriteTarget } from '../indexing/batch-writer.ts';

/** A text to store. */
export interface Note {
  readonly content: string;
  /** Default: `general`. */
  readonly type?: string | undefined;
  /** Its subject, such as `src/auth/login.ts`. */
  readonly sourcePath?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The person who stores it, as the board knows them, never as the caller claims. */
  readonly by?: string | undefined;
}

/** The author of a note, and the time it was stored. */
export interface NoteOrigin {
  readonly by?: string;
  /** ISO 8601. */
  readonly at?: string;
}

/** Returns true for a document that a tool or a person stored, and false for one from a file or a page. */
export function isNote({ id, sourcePath }: Pick<DocumentFacts, 'id' | 'sourcePath'>): boolean {
  return id !== sourcePath;
}

/** Writes the author and time of a note as the stamp of its document. */
function toNoteStamp({ by, at }: NoteOrigin): string {
  return JSON.stringify({ by, at });
}

/** Reads a stamp of `toNoteStamp`. Returns an empty object for notes of earlier versions. */
export function readNoteStamp(stamp: string | undefined): NoteOrigin {
  try {
    const read: unknown = JSON.parse(stamp ?? '{}');
    if (!isPlainObject(read)) return {};
    const { by, at } = read;
    return { ...(typeof by === 'string' ? { by } : {}), ...(typeof at === 'string' ? { at } : {}) };
  } catch {
    return {};
  }
}

interface CheckedNote {
  /** The same for the same content. */
  readonly id: string;
  readonly content: string;
  readonly type: string;
  readonly sourcePath: string | undefined;
  readonly tags: readonly string[];
  readonly by: string | undefined;
}

/** The prefix of note ids, which paths must not have. */
const NOTE_PREFIX = 'note:';
/** The longest note, in characters. */
const MAX_NOTE = 1_000_000;
/** Characters that are checked for binary data. */
const LOOKED_AT = 4_000;
const MAX_PATH = 1_000;
const MAX_TAGS = 50;
const MAX_TAG = 100;

/** Checks a note and derives its id. Throws `invalid_arguments` with the fix. */
export function checkNote(note: Note): CheckedNote {
  if (note.content.length > MAX_NOTE) {
    const size = note.content.length.toLocaleString('en-US');
    const message = `has ${size} characters; the most is ${MAX_NOTE.toLocaleString('en-US')}. Store it in parts, or index it as a file.`;
    throw refuseInput('content', message);
  }
  const content = note.content.replaceAll('\r\n', '\n').normalize().trim();
  if (content === '') throw refuseInput('content', 'is empty. Send the text to remember.');
  if (isBinary(content)) throw refuseInput('content', 'contains binary data. Send text.');
  const sourcePath = note.sourcePath?.trim() || undefined;
  return {
    id: `${NOTE_PREFIX}${hashContent(content, [])}`,
    content,
    type: checkDocumentType(note.type ?? 'general'),
    sourcePath: sourcePath === undefined ? undefined : checkNotePath(sourcePath),
    tags: checkTags(note.tags ?? []),
    by: note.by,
  };
}

/** Detects bytes read as text: a NUL, or many characters that no text has. */
function isBinary(content: string): boolean {
  if (content.includes('\0')) return true;
  const start = content.slice(0, LOOKED_AT);
  // oxlint-disable-next-line no-control-regex -- Control characters are searched for.
  const strange = start.match(/[\u0001-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/g)?.length ?? 0;
  return strange > start.length / 10;
}

/** Checks the subject of a note: it must not look like a note's id, and must fit into one line of a search result. */
function checkNotePath(path: string): string {
  // oxlint-disable-next-line no-control-regex -- Control characters are searched for.
  if (path.startsWith(NOTE_PREFIX) || /[\u0000-\u001F\u007F\u0085\u2028\u2029]/.test(path)) {
    const message = `begins with "${NOTE_PREFIX}" or has a line break or control character. Use a path, such as src/auth/login.ts.`;
    throw refuseInput('sourcePath', message);
  }
  return checkSourcePath(path);
}

/** Checks a path that documents are filed under. */
export function checkSourcePath(path: string): string {
  if (path.length > MAX_PATH || path.includes('\0')) {
    const message = `is not a path: it has ${path.length} characters or a NUL. Use at most ${MAX_PATH}, such as src/auth/login.ts.`;
    throw refuseInput('sourcePath', message);
  }
  return path;
}

/** Trims tags, removes duplicates and checks them. */
export function checkTags(tags: readonly string[]): string[] {
  const clean = [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
  if (clean.length > MAX_TAGS) throw refuseInput('tags', `has ${clean.length}; the most is ${MAX_TAGS}.`);
  const long = clean.find((tag) => tag.length > MAX_TAG || tag.includes('\0'));
  if (long !== undefined)
    throw refuseInput('tags', `"${long.slice(0, 40)}…" is longer than ${MAX_TAG} characters. Use words.`);
  return clean;
}

/** The types of documents, as in ctx. */
export const DOCUMENT_TYPES = [
  'architecture',
  'api',
  'testing',
  'convention',
  'general',
  'tutorial',
  'reference',
] as const;

/** The type of a document. */
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Checks a type. Throws `invalid_arguments` with the valid ones. */
export function checkDocumentType(type: string): DocumentType {
  const known = DOCUMENT_TYPES.find((candidate) => candidate === type);
  if (known === undefined)
    throw refuseInput('type', `unknown type "${type.slice(0, 80)}". Use one of: ${DOCUMENT_TYPES.join(', ')}.`);
  return known;
}

export function refuseInput(field: string, reason: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `${field}: ${reason}`, field, reason });
}

/** The result of storing a note. */
export interface StoredNote {
  readonly id: string;
  readonly type: string;
  readonly chunks: number;
  /** `unchanged` if the same note was stored before. */
  readonly outcome: 'stored' | 'updated' | 'unchanged';
}

/** Stores a note. Two notes with the same text become one, with the tags of both. */
export async function storeNote(note: CheckedNote, target: WriteTarget, settings: ChunkSettings): Promise<StoredNote> {
  const { store, collection } = target;
  const { id, content, type } = note;
  const [before] = await store.documents(collection, { filter: { documentIds: [id] }, limit: 1 });
  if (before !== undefined && !isNote(before)) {
    throw refuseInput(
      'content',
      `belongs to the indexed document "${id}", which a note does not replace. Change the text.`,
    );
  }
  const tags = checkTags([...(before?.tags ?? []), ...note.tags]);
  const sourcePath = note.sourcePath ?? before?.sourcePath;
  const contentHash = hashContent(content, [type, sourcePath ?? '', ...tags, settings.size, settings.overlap]);
  if (before?.contentHash === contentHash) return { id, type, chunks: before.chunkCount, outcome: 'unchanged' };
  // The lines of a note are not lines of the file it is about.
  const sections = await runInTurns(scanMarkdown(content), target.signal);
  const chunks = await runInTurns(chunkText({ text: content, sections, hasLines: false }, settings), target.signal);
  const document = { id, contentHash, type, tags, sourcePath, stamp: stampOf(note), chunks };
  const written = await writeDocuments(target, [document]);
  return { id, type, chunks: written, outcome: before === undefined ? 'stored' : 'updated' };
}

function stampOf({ by }: CheckedNote): string {
  return toNoteStamp({ ...(by === undefined ? {} : { by }), at: new Date().toISOString() });
}
