import { messageOf } from '../../tool/texts/message-of.ts';
import type { ChunkSettings } from '../chunking/chunk.ts';
import { BatchWriter, type IndexTarget, deleteDocuments } from '../indexing/batch-writer.ts';
import { DocumentMaker } from '../indexing/document-maker.ts';
import type { IndexProgress, IndexReport, SkippedFile } from '../indexing/index-report.ts';
import { isRemote, type KnownDocument, readKnownFiles } from '../indexing/known-files.ts';
import { readRepository } from './git/repository.ts';
import {
  isOf,
  type PlannedSource,
  type SourceEnd,
  type SourceItem,
  type SourceResources,
  type SourceScope,
} from './source.ts';
import { readSite } from './web/crawl.ts';
import { HostGate } from './web/fetch-url.ts';
import type { WebResources } from './web/page-reader.ts';

/** The sources to update a collection from. */
interface SourcesRequest {
  readonly sources: readonly PlannedSource[];
  /** Sources of earlier runs that are no longer in the settings: their documents are deleted. */
  readonly former: readonly SourceScope[];
  readonly chunks: ChunkSettings;
  readonly resources: SourceResources;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** The result of updating from sources. */
export interface SourcesReport extends IndexReport {
  /** Returns true if a document's state is known: it exists, or it was permanently removed. */
  readonly isSettled: (id: string) => boolean;
  /** True if every source was read completely. */
  readonly isComplete: boolean;
}

/**
 * Updates a collection from web pages and repositories, all in parallel. Documents are deleted only if their source was
 * read completely: a host that fails removes nothing.
 */
export async function indexSources(target: IndexTarget, request: SourcesRequest): Promise<SourcesReport> {
  return new SourcesRun(target, request).start();
}

class SourcesRun {
  readonly #target: IndexTarget;
  readonly #request: SourcesRequest;
  readonly #writer: BatchWriter;
  readonly #started = performance.now();
  readonly #skipped: SkippedFile[] = [];
  readonly #failures: SkippedFile[] = [];
  readonly #notes: string[] = [];
  /** Documents that exist or may exist. */
  readonly #alive = new Set<string>();
  /** Documents that no longer exist, as their source reports. */
  readonly #dead = new Set<string>();
  /** Documents that could not be read. */
  readonly #unknown = new Set<string>();
  readonly #incomplete: SourceScope[] = [];
  readonly #ends: { readonly end: SourceEnd; readonly scope: SourceScope }[] = [];
  /** Stops all sources when nothing can be written. */
  readonly #stop = new AbortController();
  #known: ReadonlyMap<string, KnownDocument> = new Map();
  #seen = 0;
  #done = 0;
  #indexed = 0;
  #unchanged = 0;
  #chunks = 0;
  #bytes = 0;

  constructor(target: IndexTarget, request: SourcesRequest) {
    this.#target = target;
    this.#request = request;
    this.#writer = new BatchWriter(target, {
      onWritten: (documents, chunks) => {
        this.#indexed += documents.length;
        this.#chunks += chunks;
        this.#reportProgress();
      },
    });
  }

  async start(): Promise<SourcesReport> {
    const { sources, resources, signal } = this.#request;
    this.#known = await readKnownFiles(this.#target.store, this.#target.collection, isRemote);
    const shared = { records: resources.records, gate: new HostGate(), robots: new Map() };
    const ended = await Promise.allSettled(sources.map((plan) => this.#read(plan, shared)));
    try {
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
      await this.#writer.finish();
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
    const isStopped = signal?.aborted === true;
    const removed = isStopped ? 0 : await this.#deleteMissing();
    for (const { end, scope } of isStopped ? [] : this.#ends)
      await end.remember?.([...this.#alive].filter((id) => isOf(scope, id)));
    return {
      files: this.#seen,
      indexed: this.#indexed,
      unchanged: this.#unchanged,
      removed,
      chunks: this.#chunks,
      bytes: this.#bytes,
      skipped: this.#skipped,
      failures: this.#failures,
      notes: [...new Set(this.#notes)],
      isStopped,
      remaining: isStopped ? this.#seen - this.#done : 0,
      durationMs: Math.round(performance.now() - this.#started),
      isComplete: this.#incomplete.length === 0,
      isSettled: (id) => (this.#alive.has(id) && !this.#unknown.has(id)) || (!this.#alive.has(id) && this.#isGone(id)),
    };
  }

  /** Reads one source. A failure is reported and does not affect the others. */
  async #read(plan: PlannedSource, shared: Omit<WebResources, 'client'>): Promise<void> {
    const { chunks, resources } = this.#request;
    const signal = AbortSignal.any([
      this.#stop.signal,
      ...(this.#request.signal === undefined ? [] : [this.#request.signal]),
    ]);
    const maker = new DocumentMaker({ type: plan.type, tags: plan.tags, chunks }, signal);
    let end: SourceEnd | undefined;
    try {
      const reading = { known: this.#known, settings: maker.settings, signal };
      const items =
        plan.kind === 'git'
          ? readRepository(plan, resources, reading)
          : readSite(plan, { ...shared, client: resources.httpClient(plan.allowHosts) }, reading);
      for (let next = await items.next(); ; next = await items.next()) {
        if (next.done === true) {
          end = next.value;
          break;
        }
        signal.throwIfAborted();
        await this.#take(next.value, maker);
      }
    } catch (error) {
      // Failures of the store or the model are not the source's fault.
      if (error instanceof WriteFailure) {
        this.#stop.abort();
        throw error.cause;
      }
      if (!signal.aborted) this.#failures.push({ path: plan.name, reason: messageOf(error) });
    }
    this.#bytes += maker.bytes;
    this.#notes.push(...maker.notes, ...(end?.notes ?? []));
    if (end !== undefined) this.#ends.push({ end, scope: plan.scope });
    if (end?.isComplete !== true) this.#incomplete.push(plan.scope);
  }

  async #take(item: SourceItem, maker: DocumentMaker): Promise<void> {
    const { id } = item;
    // A page of two sources belongs to the first.
    if (item.type !== 'skipped' && this.#alive.has(id) && !this.#unknown.has(id)) return;
    this.#seen++;
    if (item.type === 'skipped') {
      if (item.isUnknown && !this.#alive.has(id)) {
        this.#alive.add(id);
        this.#unknown.add(id);
      }
      if (!item.isUnknown) this.#dead.add(id);
      this.#skipped.push({ path: id, reason: item.reason });
    } else {
      this.#alive.add(id);
      this.#unknown.delete(id);
      if (item.type === 'unchanged') this.#unchanged++;
      else await this.#make(item, maker);
    }
    this.#done++;
    this.#reportProgress();
  }

  async #make(item: SourceItem & { type: 'loaded' }, maker: DocumentMaker): Promise<void> {
    const { id, path, bytes, stamp } = item;
    const knownHash = this.#known.get(id)?.contentHash;
    const made = await maker.make({ path, source: id, stamp, knownHash, bytes });
    if (made.type === 'unchanged') this.#unchanged++;
    if (made.type === 'skipped') {
      if (made.isUnknown) this.#unknown.add(id);
      else {
        this.#alive.delete(id);
        this.#dead.add(id);
      }
      this.#skipped.push({ path: id, reason: made.reason });
    }
    if (made.type !== 'document') return;
    try {
      await this.#writer.add(made.document);
    } catch (error) {
      throw new WriteFailure(error);
    }
  }

  #reportProgress(): void {
    const remaining = Math.max(0, this.#seen - this.#indexed - this.#unchanged - this.#skipped.length);
    this.#request.onProgress?.({ done: this.#done, total: this.#seen, chunks: this.#chunks, remaining });
  }

  /** Returns true if a document belongs to sources that were all read completely without it. */
  #isGone(id: string): boolean {
    const { sources, former } = this.#request;
    if (this.#dead.has(id)) return true;
    if (this.#incomplete.some((scope) => isOf(scope, id))) return false;
    if (sources.some(({ scope }) => isOf(scope, id))) return true;
    // A source that failed may have had other settings before.
    return former.some((scope) => isOf(scope, id) && !this.#incomplete.some(({ start }) => isOf(scope, start)));
  }

  async #deleteMissing(): Promise<number> {
    const gone = [...this.#known.keys()].filter((id) => !this.#alive.has(id) && this.#isGone(id));
    return deleteDocuments(this.#target, gone);
  }
}

class WriteFailure extends Error {
  constructor(cause: unknown) {
    super('A document could not be written.', { cause });
  }
}
