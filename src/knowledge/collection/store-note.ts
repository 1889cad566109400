import { runInTurns } from '../../tool/run-in-turns.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import type { ChunkSettings } from '../chunking/chunk.ts';
import { scanMarkdown } from '../documents/scan-markdown.ts';
import { writeDocuments, type WriteTarget } from '../indexing/batch-writer.ts';
import { hashContent } from '../indexing/hash-content.ts';
import { refuseInput } from './document-type.ts';
import { type CheckedNote, checkTags, isNote, toNoteStamp } from './note.ts';

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
