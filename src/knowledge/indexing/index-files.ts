import { sep } from 'node:path';
import { runInTurns } from '../../tool/run-in-turns.ts';
import {
  codeOf,
  findDocuments,
  type FindDocumentsOptions,
  type FoundFile,
  readDocumentFile,
} from '../documents/find/find-documents.ts';
import { type SearchRoot, toSearchRoots } from '../documents/find/search-roots.ts';
import { BatchWriter, deleteDocuments, type IndexTarget, type UnembeddedDocument } from './batch-writer.ts';
import { DocumentMaker, type DocumentMarks, type LoadedBytes } from './document-maker.ts';
import type { IndexProgress, IndexReport, SkippedFile } from './index-report.ts';
import { type KnownDocument, readKnownFiles } from './known-files.ts';
import { readAhead } from './read-ahead.ts';
import { createSourcePaths, isBelow, type RunShare } from './run-scope.ts';

/** A run over files. */
export interface IndexRequest extends FindDocumentsOptions, DocumentMarks {
  /** Files, folders and patterns. */
  readonly paths: readonly string[];
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** The folder that document names are relative to. */
  readonly base: string;
  /** Reads and writes everything, changed or not. */
  readonly force?: boolean | undefined;
  /** Accepts paths that no longer exist, as when a run is repeated. */
  readonly canBeGone?: boolean | undefined;
  /** The files that belong to this run. Default: all that it finds. */
  readonly share?: RunShare | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** A file changed this recently may change again without a new modification time. */
const RACY_MS = 2_000;

/**
 * Updates a collection from files: writes new and changed ones and deletes the documents of deleted files.
 *
 * It can be interrupted at any moment and continues on the next run: each document is written completely, and none is
 * deleted before all files were visited.
 */
export async function indexFiles(target: IndexTarget, request: IndexRequest): Promise<IndexReport> {
  const run = new IndexRun(target, request);
  return run.start();
}

class IndexRun {
  readonly #target: IndexTarget;
  readonly #request: IndexRequest;
  readonly #names: ReturnType<typeof createSourcePaths>;
  readonly #share: RunShare | undefined;
  readonly #maker: DocumentMaker;
  readonly #skipped: SkippedFile[] = [];
  /** Files that exist, and folders that could not be read: their documents stay. */
  readonly #alive = new Set<string>();
  readonly #started = performance.now();
  #indexed = 0;
  #unchanged = 0;
  #chunks = 0;

  constructor(target: IndexTarget, request: IndexRequest) {
    this.#target = target;
    this.#request = request;
    this.#names = createSourcePaths(request.base);
    this.#share = request.share;
    this.#maker = new DocumentMaker(request, request.signal);
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
    const found = await runInTurns(collect(findDocuments(roots, this.#request)), signal);
    const files = found.filter(({ path }) => this.#share?.isLeft(path) !== true);
    const isStopped = !(await this.#writeAll(files, known));
    const removed = isStopped ? 0 : await this.#deleteMissing(roots, known);
    return {
      files: files.length,
      indexed: this.#indexed,
      unchanged: this.#unchanged,
      removed,
      chunks: this.#chunks,
      bytes: this.#maker.bytes,
      skipped: this.#skipped.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
      notes: this.#maker.notes,
      isStopped: isStopped || signal?.aborted === true,
      remaining: isStopped ? Math.max(0, files.length - this.#finished) : 0,
      durationMs: Math.round(performance.now() - this.#started),
    };
  }

  /** Files that are written, unchanged or skipped. */
  get #finished(): number {
    return this.#indexed + this.#unchanged + this.#skipped.length;
  }

  /** Returns false if it was stopped. */
  async #writeAll(files: readonly FoundFile[], known: ReadonlyMap<string, KnownDocument>): Promise<boolean> {
    const { signal, onProgress } = this.#request;
    const total = files.length;
    let done = 0;
    const work = new WorkMeter(this.#findWork(files, known));
    const reportProgress = (): void =>
      onProgress?.({
        done,
        total,
        chunks: this.#chunks,
        remaining: total - this.#finished,
        bytes: { done: work.done, total: work.total },
      });
    const writer = new BatchWriter(this.#target, {
      onWritten: (batch, chunks) => {
        this.#indexed += batch.length;
        this.#chunks += chunks;
        work.finish(batch);
        reportProgress();
      },
      onEmbedded: (batch, share) => {
        work.embed(batch, share);
        reportProgress();
      },
    });
    try {
      const make = (file: FoundFile): Promise<UnembeddedDocument | string | undefined> => this.#make(file, known);
      const sizeOf = (file: FoundFile): number => (file.type === 'file' ? file.size : 0);
      for await (const made of readAhead(files, make, sizeOf)) {
        if (signal?.aborted === true) break;
        if (typeof made === 'object') await writer.add(made);
        else if (made !== undefined) work.skip(made);
        done++;
        reportProgress();
      }
      await writer.finish();
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
    return signal?.aborted !== true;
  }

  /** Returns the sizes of files that may have changed. */
  #findWork(files: readonly FoundFile[], known: ReadonlyMap<string, KnownDocument>): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const file of files) {
      if (file.type !== 'file') continue;
      const source = this.#names.toSource(file.path);
      if (!this.#isUnchanged(file, known.get(source))) sizes.set(source, file.size);
    }
    return sizes;
  }

  #isUnchanged(file: FoundFile & { type: 'file' }, before: KnownDocument | undefined): boolean {
    const stamp = stampOf(file, this.#maker.settings);
    return this.#request.force !== true && before !== undefined && before.stamp === stamp && stamp !== undefined;
  }

  /** Returns the document of a file that may have changed, or the name of a file that was read without giving one. */
  async #make(
    file: FoundFile,
    known: ReadonlyMap<string, KnownDocument>,
  ): Promise<UnembeddedDocument | string | undefined> {
    const bytes = await this.#load(file, known);
    if (bytes === undefined) return undefined;
    const { source } = bytes;
    try {
      const made = await this.#maker.make(bytes);
      if (made.type === 'unchanged') this.#keep(source);
      if (made.type === 'skipped') this.#skipped.push({ path: source, reason: made.reason });
      if (made.type === 'document' || (made.type === 'skipped' && made.isUnknown)) this.#alive.add(source);
      return made.type === 'document' ? made.document : source;
    } catch (error) {
      // A stopped run is not an error; anything else is.
      if (this.#request.signal?.aborted === true) return undefined;
      throw error;
    }
  }

  /** Reads the bytes of a file that may have changed. */
  async #load(file: FoundFile, known: ReadonlyMap<string, KnownDocument>): Promise<LoadedBytes | undefined> {
    const source = this.#names.toSource(file.path);
    if (file.type === 'skipped') {
      if (file.isUnknown) this.#alive.add(file.path.endsWith(sep) ? `${source}/` : source);
      this.#skipped.push({ path: source, reason: file.reason });
      return undefined;
    }
    const before = this.#request.force === true ? undefined : known.get(source);
    if (this.#isUnchanged(file, before)) return this.#keep(source);
    const stamp = stampOf(file, this.#maker.settings);
    try {
      const read = await readDocumentFile(file.path);
      if (read.ok) return { path: file.path, source, stamp, knownHash: before?.contentHash, bytes: read.bytes };
      this.#skipped.push({ path: source, reason: read.reason });
    } catch (error) {
      this.#alive.add(source);
      this.#skipped.push({ path: source, reason: `cannot be read (${codeOf(error)})` });
    }
    return undefined;
  }

  #keep(source: string): undefined {
    this.#alive.add(source);
    this.#unchanged++;
  }

  /** Deletes the documents below the roots whose files were not found. */
  async #deleteMissing(roots: readonly SearchRoot[], known: ReadonlyMap<string, KnownDocument>): Promise<number> {
    const folders = [...this.#alive].filter((source) => source.endsWith('/'));
    const gone = [...known.keys()].filter((source) => {
      if (this.#alive.has(source) || folders.some((folder) => source.startsWith(folder))) return false;
      const path = this.#names.toPath(source);
      const isSelected = roots.some((root) => (root.type === 'file' ? root.path === path : isBelow(root, path)));
      return isSelected && this.#share?.mayDelete(path) !== false;
    });
    return deleteDocuments(this.#target, gone);
  }
}

function* collect<T>(items: Iterable<T>): Generator<void, T[]> {
  const all: T[] = [];
  for (const item of items) {
    all.push(item);
    yield;
  }
  return all;
}

/** Returns a file's size and times, or `undefined` if it changed so recently that it may change again without a new time. */
function stampOf(
  { size, mtimeMs, ctimeMs }: FoundFile & { type: 'file' },
  marks: readonly (string | number)[],
): string | undefined {
  if (Date.now() - Math.max(mtimeMs, ctimeMs) < RACY_MS) return undefined;
  return [size, mtimeMs, ctimeMs, ...marks].join(':');
}

/** Measures progress in bytes of files, because the time depends on bytes, not on files. */
class WorkMeter {
  readonly #sizes: ReadonlyMap<string, number>;
  /** Batches being embedded, with the finished share. */
  readonly #underWay = new Map<readonly UnembeddedDocument[], number>();
  readonly total: number;
  #done = 0;

  /** @param sizes Files that may have changed, by the name of their document. */
  constructor(sizes: ReadonlyMap<string, number>) {
    this.#sizes = sizes;
    this.total = sum([...sizes.values()]);
  }

  /** Bytes that are written or need no work. */
  get done(): number {
    const begun = [...this.#underWay].map(([batch, share]) => share * this.#sizeOf(batch));
    return this.#done + sum(begun);
  }

  /** Counts a file that needs no more work. */
  skip(source: string): void {
    this.#done += this.#sizes.get(source) ?? 0;
  }

  /** Updates the finished share of a batch. */
  embed(batch: readonly UnembeddedDocument[], share: number): void {
    this.#underWay.set(batch, share);
  }

  finish(batch: readonly UnembeddedDocument[]): void {
    this.#underWay.delete(batch);
    this.#done += this.#sizeOf(batch);
  }

  #sizeOf(batch: readonly UnembeddedDocument[]): number {
    return sum(batch.map(({ id }) => this.#sizes.get(id) ?? 0));
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
