import type { Embedder } from '../../vectors/embedder.ts';
import type { Chunk } from '../chunking/chunk.ts';
import type { DocumentFacts, EmbeddingSettings, KnowledgeDocument, VectorStore } from '../vector-store.ts';

/** A document without vectors yet. */
export interface UnembeddedDocument extends DocumentFacts {
  readonly chunks: readonly Chunk[];
}

/** The store, collection and embedder that documents are written with. */
export interface WriteTarget {
  readonly store: VectorStore;
  readonly collection: string;
  readonly embedder: Embedder | undefined;
  /** The settings of the collection's vectors; a recreated collection with other settings rejects the documents. */
  readonly embedding?: EmbeddingSettings | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A target of an index run, which needs only part of a store. */
export interface IndexTarget extends Omit<WriteTarget, 'store'> {
  readonly store: Pick<VectorStore, 'documents' | 'upsert' | 'delete'>;
}

/** Chunks in the first batch. Batches grow while they are fast: an interruption costs about a second of a slow model's work. */
const FEWEST_CHUNKS = 32;
/** The most chunks in a batch: enough for a model and a transaction. */
const MOST_CHUNKS = 512;
const QUICK_MS = 500;
const MAX_DELETED = 500;
/** Batches written while the next is read. */
const IN_FLIGHT = 2;

/** Texts embedded with one call, as many as a caching embedder embeds at once. A long document has more. */
const TEXTS_A_PART = 256;

interface BatchListener {
  readonly onWritten: (batch: readonly UnembeddedDocument[], chunks: number) => void;
  /** Called when a share of a batch's vectors is computed. */
  readonly onEmbedded?: (batch: readonly UnembeddedDocument[], share: number) => void;
}

/** Writes documents in batches, each completely or not at all, while the caller continues reading. */
export class BatchWriter {
  readonly #target: IndexTarget;
  readonly #listener: BatchListener;
  readonly #inFlight = new Set<Promise<void>>();
  #batch: UnembeddedDocument[] = [];
  #chunks = 0;
  #size = FEWEST_CHUNKS;
  #failure: { readonly error: unknown } | undefined;

  constructor(target: IndexTarget, listener: BatchListener) {
    this.#target = target;
    this.#listener = listener;
  }

  /** Adds a document; waits while too many batches are being written. */
  async add(document: UnembeddedDocument): Promise<void> {
    this.#batch.push(document);
    this.#chunks += document.chunks.length;
    if (this.#chunks >= this.#size) await this.#send();
  }

  /** Writes the rest and waits for all batches. */
  async finish(): Promise<void> {
    await this.#send();
    await Promise.all(this.#inFlight);
    this.#throwFailure();
  }

  async #send(): Promise<void> {
    this.#throwFailure();
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#chunks = 0;
    const started = performance.now();
    const { onWritten, onEmbedded } = this.#listener;
    const sent = writeDocuments(this.#target, batch, (share) => onEmbedded?.(batch, share))
      .then((chunks) => {
        this.#adapt(performance.now() - started);
        onWritten(batch, chunks);
      })
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
    if (this.#inFlight.size >= IN_FLIGHT) await Promise.race(this.#inFlight);
  }

  #adapt(elapsed: number): void {
    if (elapsed < QUICK_MS) this.#size = Math.min(MOST_CHUNKS, this.#size * 2);
    else if (elapsed > QUICK_MS * 2) this.#size = Math.max(FEWEST_CHUNKS, this.#size / 2);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Embeds documents if the collection has an embedder, and writes them. Returns the number of chunks. */
export async function writeDocuments(
  target: IndexTarget,
  documents: readonly UnembeddedDocument[],
  onEmbedded?: (share: number) => void,
): Promise<number> {
  const { store, collection, embedder, signal } = target;
  const texts = documents.flatMap(({ chunks }) => chunks.map(({ text }) => text));
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += TEXTS_A_PART) {
    if (embedder === undefined) break;
    const part = texts.slice(from, from + TEXTS_A_PART);
    vectors.push(...(await embedder.embed(part, { as: 'document', ...(signal === undefined ? {} : { signal }) })));
    onEmbedded?.(Math.min(1, (from + TEXTS_A_PART) / texts.length));
  }
  signal?.throwIfAborted();
  let next = 0;
  const ready = documents.map(({ chunks, ...facts }): KnowledgeDocument => ({
    ...facts,
    chunks: chunks.map(({ text, headings, lines }) => ({ text, headings, lines, embedding: vectors[next++] })),
  }));
  await store.upsert(collection, ready, { embedding: target.embedding });
  return texts.length;
}

/** Deletes documents by id, a part at a time. Returns their number. */
export async function deleteDocuments({ store, collection }: IndexTarget, ids: readonly string[]): Promise<number> {
  let deleted = 0;
  for (let at = 0; at < ids.length; at += MAX_DELETED)
    deleted += await store.delete(collection, { documentIds: ids.slice(at, at + MAX_DELETED) });
  return deleted;
}
