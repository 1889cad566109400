import { ToolError } from '../../../tool/tool-error.ts';
import { copyCollection } from '../../collection/copy-collection.ts';
import { isNote } from '../../collection/note.ts';
import { isOtherWords, isSameEmbedding } from '../../stores/check-input.ts';
import type { CollectionInfo, EmbeddingSettings, StoredDocument, VectorStore } from '../../vector-store.ts';
import type { WriteTarget } from '../batch-writer.ts';
import { buildName, copyDocuments, replacedName, settleReplaced } from './settle-replaced.ts';

interface BuildRequest {
  readonly store: VectorStore;
  readonly collection: string;
  /** Opens a collection of this store with the current settings. */
  open(name: string): Promise<WriteTarget>;
  readonly embedding: EmbeddingSettings | undefined;
}

/**
 * Builds a collection beside the one it replaces, which stays in use meanwhile.
 *
 * An interruption loses nothing: before the exchange the old collection is unchanged, and the next build continues this
 * one; after it the new one is complete, and late notes are copied from the old one before that is dropped.
 */
export class CollectionBuild {
  readonly #request: BuildRequest;
  /** The target for the documents of the new collection. */
  readonly target: WriteTarget;
  /** Documents written by an earlier, interrupted build. */
  readonly resumed: number;

  private constructor(request: BuildRequest, target: WriteTarget, resumed: number) {
    this.#request = request;
    this.target = target;
    this.resumed = resumed;
  }

  /** Starts a build, or continues an interrupted one. Returns `undefined` if there is nothing to replace yet. */
  static async begin(request: BuildRequest): Promise<CollectionBuild | undefined> {
    const { store, collection, embedding } = request;
    const beside = buildName(collection);
    const known = await store.collections();
    const begun = known.find(({ name }) => name === beside);
    const isUsable = begun !== undefined && (await fits(store, begun, embedding));
    const left = known.some(({ name }) => name === replacedName(collection));
    const main = known.find(({ name }) => name === collection);
    if (!isUsable && !left && (main === undefined || (await isEmpty(store, main, embedding)))) return undefined;
    // A build for other settings is useless, and the old collection has all its documents.
    if (begun !== undefined && !isUsable) await store.dropCollection(beside);
    const target = await request.open(beside);
    return new CollectionBuild(request, target, (await store.stats(beside)).documents);
  }

  /**
   * Copies the documents that do not come from indexed files, and replaces the old collection. `isIndexed` returns true
   * for documents that the indexing decides about. Returns the number of those that are gone.
   */
  async finish(isIndexed: (sourcePath: string) => boolean): Promise<{ readonly removed: number }> {
    const { store, collection } = this.#request;
    const isSelected = (document: StoredDocument): boolean => isNote(document) || !isIndexed(document.id);
    let removed = 0;
    const onOthers = async (documents: readonly StoredDocument[]): Promise<void> => {
      const ids = documents.map(({ id }) => id);
      if (ids.length === 0) return;
      const page = { filter: { documentIds: ids }, limit: ids.length };
      removed += ids.length - (await store.documents(this.target.collection, page)).length;
    };
    return this.explain(async () => {
      // The order matters: later notes are newer.
      await this.#copyFrom(replacedName(collection), { isSelected: isNote });
      await this.#copyFrom(collection, { isSelected, onOthers });
      await this.#exchange(isSelected);
      return { removed };
    });
  }

  /** Runs work on the build. If two processes build at once, the later one finds its collection gone. */
  async explain<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'not_found') throw error;
      const { store, collection } = this.#request;
      if ((await store.collections()).some(({ name }) => name === this.target.collection)) throw error;
      const message = `Another process rebuilt the collection "${collection}" or cleared it at the same time. Nothing is lost; run it again if files changed since.`;
      throw new ToolError({ code: 'execution_failed', message, cause: error });
    }
  }

  async #copyFrom(
    from: string,
    how: Pick<Parameters<typeof copyDocuments>[0], 'isSelected' | 'onOthers'>,
  ): Promise<CollectionInfo | undefined> {
    const info = (await this.#request.store.collections()).find(({ name }) => name === from);
    if (info !== undefined) await copyDocuments({ from, embedding: info.embedding, to: this.target, ...how });
    return info;
  }

  async #exchange(isSelected: (document: StoredDocument) => boolean): Promise<void> {
    const { store, collection, embedding } = this.#request;
    const replaced = replacedName(collection);
    const beside = this.target.collection;
    await store.dropCollection(replaced);
    const main = (await store.collections()).find(({ name }) => name === collection);
    const to = { ...this.target, collection, signal: undefined };
    if (store.renameCollections !== undefined) {
      const away = main === undefined ? [] : [{ from: collection, to: replaced }];
      await store.renameCollections([...away, { from: beside, to: collection }]);
      return settleReplaced({ collection, to, isSelected });
    }
    if (main !== undefined && !(await fits(store, main, embedding))) {
      await store.ensureCollection(replaced, main.embedding);
      await copyDocuments({
        from: collection,
        embedding: main.embedding,
        to: { ...to, collection: replaced, embedding: main.embedding },
        isSelected,
      });
      await store.dropCollection(collection);
    }
    await this.#request.open(collection);
    await copyCollection({ from: store, to: store, collection: beside, as: collection });
    await deleteOthers(store, { beside, collection, isSelected });
    await settleReplaced({ collection, to, isSelected });
    await store.dropCollection(beside);
  }
}

/** Deletes documents from the copy that the build does not have. */
async function deleteOthers(
  store: VectorStore,
  {
    beside,
    collection,
    isSelected,
  }: { beside: string; collection: string; isSelected: (document: StoredDocument) => boolean },
): Promise<void> {
  for (let after: string | undefined; ;) {
    const page = await store.documents(collection, { after, limit: 100 });
    if (page.length === 0) return;
    const ids = page.filter((document) => !isSelected(document)).map(({ id }) => id);
    const kept = ids.length === 0 ? [] : await store.documents(beside, { filter: { documentIds: ids }, limit: 100 });
    const has = new Set(kept.map(({ id }) => id));
    const gone = ids.filter((id) => !has.has(id));
    if (gone.length > 0) await store.delete(collection, { documentIds: gone });
    after = page.at(-1)?.id;
  }
}

/** Returns true if a collection has the wanted vectors and words of the current rules. */
async function fits(
  store: VectorStore,
  { name, embedding }: CollectionInfo,
  wanted: EmbeddingSettings | undefined,
): Promise<boolean> {
  if (!isSameEmbedding(embedding, wanted)) return false;
  try {
    await store.ensureCollection(name, embedding);
    return true;
  } catch (error) {
    if (!isOtherWords(error)) throw error;
    return false;
  }
}

async function isEmpty(
  store: VectorStore,
  main: CollectionInfo,
  wanted: EmbeddingSettings | undefined,
): Promise<boolean> {
  if ((await store.stats(main.name)).documents > 0) return false;
  // A collection with vectors does not accept documents without them.
  return wanted !== undefined || main.embedding === undefined;
}
