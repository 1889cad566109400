import { ToolError } from '../../../tool/tool-error.ts';
import { TERMS_VERSION } from '../../../text/read-terms.ts';
import {
  chunkId,
  type CollectionInfo,
  type Distance,
  type DocumentFilter,
  type EmbeddingSettings,
  MAX_LIMIT,
  type PageRequest,
} from '../../vector-store.ts';
import { unknownCollection } from '../check-input.ts';
import { ABOUT_ID, type ChunkPayload, DENSE, firstChunks, toFilter, toPayload, toPointId, WORDS } from './points.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { loadPeer } from '../../../platform/peers/load-peer.ts';
import { isPattern, readPathFilter } from '../match-path.ts';

const DISTANCES = { cosine: 'Cosine', dot: 'Dot', euclidean: 'Euclid' } as const satisfies Record<Distance, string>;
/** Fields that filters use; without an index the server would scan every point. */
const INDEXES = [
  ['document', 'keyword'],
  ['position', 'integer'],
  ['kind', 'keyword'],
  ['type', 'keyword'],
  ['tags', 'keyword'],
  ['path', 'keyword'],
  ['folders', 'keyword'],
] as const;

export async function makeCollection(
  server: QdrantServer,
  { name, embedding, terms }: CollectionInfo & { readonly terms: number },
): Promise<CollectionInfo> {
  const dense =
    embedding === undefined ? {} : { [DENSE]: { size: embedding.dimension, distance: DISTANCES[embedding.distance] } };
  await server.run((client) =>
    client.createCollection(name, { vectors: dense, sparse_vectors: { [WORDS]: { modifier: 'idf' } } }),
  );
  await Promise.all(
    INDEXES.map(([field, schema]) => {
      const index = { field_name: field, field_schema: schema, wait: true };
      return server.run((client) => client.createPayloadIndex(name, index));
    }),
  );
  const about = { id: ABOUT_ID, vector: {}, payload: { kind: 'about', terms, embedding: embedding ?? null } };
  await server.run((client) => client.upsert(name, { wait: true, points: [about] }));
  return { name, embedding };
}

/** Finds a collection. Throws if another program created one with that name. */
export async function findCollection(server: QdrantServer, name: string): Promise<About | undefined> {
  if (!(await listNames(server)).includes(name)) return undefined;
  const about = await readAbout(server, name);
  if (about !== undefined) return about;
  const message = `The Qdrant server has a collection "${name}" that Pegboard did not create. Set another name: rag.collections.<name>.collection`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'collection', reason: 'not created by Pegboard' });
}

/** Finds a collection, or throws an error that lists the existing ones. */
export async function getCollection(server: QdrantServer, name: string): Promise<About> {
  const names = await listNames(server);
  const about = names.includes(name) ? await readAbout(server, name) : undefined;
  if (about !== undefined) return about;
  throw unknownCollection(name, await listCollections(server));
}

export async function listCollections(server: QdrantServer): Promise<CollectionInfo[]> {
  const found = await Promise.all((await listNames(server)).map((name) => readAbout(server, name)));
  return found
    .flatMap((about) => (about === undefined ? [] : [about.info]))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function listNames(server: QdrantServer): Promise<string[]> {
  return (await server.run((client) => client.getCollections())).collections.map(({ name }) => name);
}

interface About {
  readonly info: CollectionInfo;
  /** True if another version of Pegboard, with other rules, read its words. */
  readonly hasOtherWords: boolean;
}

async function readAbout(server: QdrantServer, name: string): Promise<About | undefined> {
  const [point] = await server.run((client) => client.retrieve(name, { ids: [ABOUT_ID], with_payload: true }));
  const about = point?.payload;
  if (about?.['kind'] !== 'about') return undefined;
  // Only `makeCollection` writes it.
  const embedding = (about['embedding'] as EmbeddingSettings | null) ?? undefined;
  return { info: { name, embedding }, hasOtherWords: about['terms'] !== TERMS_VERSION };
}

interface QdrantServerOptions {
  readonly url: string;
  readonly apiKey: string | undefined;
}

const ATTEMPTS = 3;
const PAUSE = 200;
const TIMEOUT = 30_000;

/** Sends requests, retries lost ones, and reports failures in plain words. */
export class QdrantServer {
  readonly #client: QdrantClient;
  readonly #url: string;

  constructor({ url, apiKey }: QdrantServerOptions) {
    // The module with the type of `import '@qdrant/js-client-rest'`.
    const { QdrantClient: Client } = loadPeer(
      '@qdrant/js-client-rest',
      'The knowledge store "qdrant"',
    ) as typeof import('@qdrant/js-client-rest');
    this.#url = new URL(url).origin;
    // As a header, because the client warns on the console about a key for a server without TLS.
    const headers = apiKey === undefined ? {} : { 'api-key': apiKey };
    // Its version check would contact the server before the first request.
    this.#client = new Client({ url, timeout: TIMEOUT, checkCompatibility: false, headers });
  }

  /** Runs one request. All requests of this store are idempotent, so they may be sent twice. */
  async run<T>(work: (client: QdrantClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(this.#client);
      } catch (error) {
        const status = statusOf(error);
        const isLost = status === undefined || status === 429 || status >= 500;
        if (!isLost) throw this.#describe(error, status);
        if (attempt === ATTEMPTS) throw this.#unavailable(error);
        await wait(PAUSE * attempt);
      }
    }
  }

  #describe(error: unknown, status: number): ToolError {
    const rights = status === 401 || status === 403;
    const advice = rights ? 'Check api_key' : 'See the reason it gives';
    const message = `The Qdrant server ${this.#url} refused: ${reasonOf(error)}. ${advice}.`;
    return new ToolError({ code: rights ? 'permission_denied' : 'execution_failed', message, cause: error });
  }

  #unavailable(cause: unknown): ToolError {
    const message = `The Qdrant server ${this.#url} cannot be reached: ${reasonOf(cause)}. Check that it runs and that endpoint_url is right.`;
    return new ToolError({ code: 'upstream_unavailable', message, cause });
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof Error && 'status' in error && typeof error.status === 'number') return error.status;
  // For some answers the client's error has the status only in its message.
  const said = error instanceof Error ? /^Unexpected Response: (\d{3})/.exec(error.message)?.[1] : undefined;
  return said === undefined ? undefined : Number(said);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('data' in error && typeof error.data === 'object' && error.data !== null && 'status' in error.data) {
    const { status } = error.data;
    if (typeof status === 'object' && status !== null && 'error' in status) return String(status.error);
  }
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

/** Reads a page of documents by the payloads of their first chunks, ordered by point id. */
export async function scrollDocuments(
  server: QdrantServer,
  collection: string,
  { filter, after, limit = MAX_LIMIT }: PageRequest,
): Promise<ChunkPayload[]> {
  const path = filter?.sourcePath;
  const matches = path !== undefined && isPattern(path) ? readPathFilter(path) : undefined;
  const found: ChunkPayload[] = [];
  const last = after === undefined ? undefined : toPointId(chunkId(after.toWellFormed(), 0));
  let offset = last;
  for (;;) {
    const { points, next_page_offset: next } = await server.run((client) =>
      client.scroll(collection, {
        filter: firstChunks(toFilter(filter)),
        limit: limit + 1,
        with_payload: { exclude: ['text', 'headings'] },
        ...(offset === undefined ? {} : { offset }),
      }),
    );
    for (const { id, payload } of points) {
      // An offset is the first point of a page, here the last document of the previous page.
      if (id === last) continue;
      const facts = toPayload(payload);
      if (matches === undefined || matches(facts.path ?? undefined)) found.push(facts);
      if (found.length === limit) return found;
    }
    if (typeof next !== 'string') return found;
    offset = next;
  }
}

/** Replaces a path with wildcards, which Qdrant cannot apply, by the ids of the matching documents. */
export async function resolvePatterns(
  server: QdrantServer,
  collection: string,
  filter: DocumentFilter | undefined,
): Promise<DocumentFilter | undefined> {
  if (filter?.sourcePath === undefined || !isPattern(filter.sourcePath)) return filter;
  const documentIds: string[] = [];
  for (;;) {
    const page = await scrollDocuments(server, collection, { filter, after: documentIds.at(-1), limit: MAX_LIMIT });
    documentIds.push(...page.map(({ document }) => document));
    if (page.length < MAX_LIMIT) return { ...filter, sourcePath: undefined, documentIds };
  }
}
