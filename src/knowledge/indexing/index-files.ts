import { runInTurns } from '../../tool/run-in-turns.ts';
import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import type { ChunkSettings } from '../chunking/chunk.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import { CodeParsers } from '../documents/code/code-parser.ts';
import { codeOf, findDocuments, type FindDocumentsOptions, type FoundFile } from '../documents/find/find-documents.ts';
import { readDocument } from '../documents/read-document.ts';
import { type SearchRoot, toSearchRoots } from '../documents/find/search-roots.ts';
import { BatchWriter, type IndexTarget, type UnembeddedDocument } from './batch-writer.ts';
import { hashContent } from './hash-content.ts';
import type { IndexProgress, IndexReport, SkippedFile } from './index-report.ts';
import { type KnownDocument, readKnownFiles } from './known-files.ts';
import { readAhead } from './read-ahead.ts';
import { isBelow, type RunShare } from './run-scope.ts';
import { createSourcePaths } from './source-paths.ts';

const MAX_DELETED = 500;

/** What is indexed, and as what. */
export interface IndexRequest extends FindDocumentsOptions {
  /** Files, folders and patterns. */
  readonly paths: readonly string[];
  /** Where relative paths start. */
  readonly cwd: string;
  /** The folder that documents are named relative to. */
  readonly base: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly chunks: ChunkSettings;
  /** Reads and writes everything, changed or not. */
  readonly force?: boolean;
  /** Whether paths may be gone without a fault: those of a run that is done again. */
  readonly canBeGone?: boolean;
  /** Which files are this run's own. Default: all that it finds. */
  readonly share?: RunShare | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** Raise this number when documents are read or cut differently. */
const PIPELINE = 2;
/** A file changed so lately may change again without its time changing. */
const RACY_MS = 2_000;

/**
 * Brings a collection up to date with files: new and changed ones are written, documents of deleted files are deleted.
 *
 * It can be stopped at any moment, even by force, and goes on where it was when run again: each document is written whole,
 * and none is deleted before all files were visited.
 */
export async function indexFiles(target: IndexTarget, request: IndexRequest): Promise<IndexReport> {
  const run = new IndexRun(target, request);
  return run.start();
}

/** A file that was read. */
interface LoadedBytes {
  readonly path: string;
  readonly source: string;
  readonly stamp: string | undefined;
  readonly knownHash: string | undefined;
  readonly bytes: Uint8Array;
}

class IndexRun {
  readonly #target: IndexTarget;
  readonly #request: IndexRequest;
  readonly #names: ReturnType<typeof createSourcePaths>;
  readonly #share: RunShare | undefined;
  /** Settings that, besides the content, decide how a file is indexed. */
  readonly #marks: readonly (string | number)[];
  readonly #parsers = new CodeParsers();
  readonly #skipped: SkippedFile[] = [];
  /** Files that were found, and folders that could not be read: their documents stay. */
  readonly #alive = new Set<string>();
  /** Files that are not Unicode, and as what they were read. */
  readonly #encodings = new Map<string, string[]>();
  readonly #started = performance.now();
  #indexed = 0;
  #unchanged = 0;
  #chunks = 0;
  #bytes = 0;

  constructor(target: IndexTarget, request: IndexRequest) {
    this.#target = target;
    this.#request = request;
    this.#names = createSourcePaths(request.base);
    this.#share = request.share;
    const { chunks, type, tags } = request;
    this.#marks = [PIPELINE, chunks.size, chunks.overlap, type, ...tags];
  }

  async start(): Promise<IndexReport> {
    const { paths, cwd, signal } = this.#request;
    const known = await readKnownFiles(this.#target.store, this.#target.collection);
    const roots = toSearchRoots(paths, {
      cwd,
      isKnown: (path) => known.has(this.#names.toSource(path)),
      hasBelow: (folder) => {
        const below = `${this.#names.toSource(folder)}/`;
        return [...known.keys()].some((source) => source.startsWith(below));
      },
      canBeGone: this.#request.canBeGone === true,
    });
    const files = [...findDocuments(roots, this.#request)].filter(({ path }) => this.#share?.isLeft(path) !== true);
    const isStopped = !(await this.#writeAll(files, known));
    const removed = isStopped ? 0 : await this.#forget(roots, known);
    return {
      files: files.length,
      indexed: this.#indexed,
      unchanged: this.#unchanged,
      removed,
      chunks: this.#chunks,
      bytes: this.#bytes,
      skipped: this.#skipped,
      notes: [...(this.#parsers.isMissing ? [MISSING_GRAMMARS] : []), ...encodingNotes(this.#encodings)],
      isStopped: isStopped || signal?.aborted === true,
      remaining: isStopped ? Math.max(0, files.length - this.#finished) : 0,
      durationMs: Math.round(performance.now() - this.#started),
    };
  }

  /** Files that are written, unchanged or left out. */
  get #finished(): number {
    return this.#indexed + this.#unchanged + this.#skipped.length;
  }

  /** Whether it came to the end. */
  async #writeAll(files: readonly FoundFile[], known: ReadonlyMap<string, KnownDocument>): Promise<boolean> {
    const { signal, onProgress } = this.#request;
    const total = files.length;
    let done = 0;
    const tell = (): void => onProgress?.({ done, total, chunks: this.#chunks, remaining: total - this.#finished });
    const writer = new BatchWriter(this.#target, (documents, chunks) => {
      this.#indexed += documents;
      this.#chunks += chunks;
      tell();
    });
    try {
      for await (const bytes of readAhead(files, (file) => this.#load(file, known))) {
        if (signal?.aborted === true) break;
        const document = bytes === undefined ? undefined : await this.#prepare(bytes);
        if (document !== undefined) await writer.add(document);
        done++;
        tell();
      }
      await writer.finish();
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
    return signal?.aborted !== true;
  }

  /** The bytes of a file that may have changed. */
  async #load(file: FoundFile, known: ReadonlyMap<string, KnownDocument>): Promise<LoadedBytes | undefined> {
    const source = this.#names.toSource(file.path);
    if (file.type === 'skipped') {
      if (file.isUnknown) this.#alive.add(file.path.endsWith(sep) ? `${source}/` : source);
      this.#skipped.push({ path: source, reason: file.reason });
      return undefined;
    }
    const before = this.#request.force === true ? undefined : known.get(source);
    const stamp = stampOf(file, this.#marks);
    if (before !== undefined && before.stamp === stamp && stamp !== undefined) return this.#keep(source);
    try {
      return { path: file.path, source, stamp, knownHash: before?.contentHash, bytes: await readFile(file.path) };
    } catch (error) {
      this.#alive.add(source);
      this.#skipped.push({ path: source, reason: `cannot be read (${codeOf(error)})` });
      return undefined;
    }
  }

  async #prepare({ bytes, path, source, stamp, knownHash }: LoadedBytes): Promise<UnembeddedDocument | undefined> {
    this.#bytes += bytes.length;
    const contentHash = hashContent(bytes, this.#marks);
    if (knownHash === contentHash) return this.#keep(source);
    const { type, tags, chunks: settings } = this.#request;
    const read = await readDocument(bytes, path, this.#parsers);
    const chunks = read.ok ? await runInTurns(chunkText(read.document, settings)) : [];
    if (!read.ok || chunks.length === 0) {
      this.#skipped.push({ path: source, reason: read.ok ? 'has no words' : read.reason });
      return undefined;
    }
    if (read.encoding !== undefined)
      this.#encodings.set(read.encoding, [...(this.#encodings.get(read.encoding) ?? []), source]);
    this.#alive.add(source);
    return { id: source, sourcePath: source, contentHash, type, tags, stamp, chunks };
  }

  #keep(source: string): undefined {
    this.#alive.add(source);
    this.#unchanged++;
  }

  /** Deletes the documents below the roots whose files were not found. */
  async #forget(roots: readonly SearchRoot[], known: ReadonlyMap<string, KnownDocument>): Promise<number> {
    const folders = [...this.#alive].filter((source) => source.endsWith('/'));
    const gone = [...known.keys()].filter((source) => {
      if (this.#alive.has(source) || folders.some((folder) => source.startsWith(folder))) return false;
      const path = this.#names.toPath(source);
      const isMeant = roots.some((root) => (root.type === 'file' ? root.path === path : isBelow(root, path)));
      return isMeant && this.#share?.mayForget(path) !== false;
    });
    let removed = 0;
    for (let at = 0; at < gone.length; at += MAX_DELETED) {
      const documentIds = gone.slice(at, at + MAX_DELETED);
      removed += await this.#target.store.delete(this.#target.collection, { documentIds });
    }
    return removed;
  }
}

const MISSING_GRAMMARS =
  'Code was cut at empty lines. To cut it by functions and classes: npm install @vscode/tree-sitter-wasm, then pegboard rag reindex.';

const MAX_NAMED = 3;

/** `2 files are not UTF-8 and were read as Windows-1252: a.txt, b.csv. …` */
function encodingNotes(encodings: ReadonlyMap<string, readonly string[]>): string[] {
  return [...encodings].map(([encoding, paths]) => {
    const named = paths.slice(0, MAX_NAMED).join(', ') + (paths.length > MAX_NAMED ? ', …' : '');
    const files = paths.length === 1 ? '1 file is not UTF-8 and was' : `${paths.length} files are not UTF-8 and were`;
    return `${files} read as ${encoding}: ${named}. Convert to UTF-8 what reads wrong.`;
  });
}

/** Size and times of a file; `undefined` when it changed so lately that it may change again without a new time. */
function stampOf(
  { size, mtimeMs, ctimeMs }: FoundFile & { type: 'file' },
  marks: readonly (string | number)[],
): string | undefined {
  if (Date.now() - Math.max(mtimeMs, ctimeMs) < RACY_MS) return undefined;
  return [size, mtimeMs, ctimeMs, ...marks].join(':');
}
