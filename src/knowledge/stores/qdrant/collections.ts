import { ToolError } from '../../../tool/tool-error.ts';
import { TERMS_VERSION } from '../../../text/read-terms.ts';
import type { CollectionInfo, Distance, EmbeddingSettings } from '../../vector-store.ts';
import { unknownCollection } from '../collection-errors.ts';
import { ABOUT_ID, DENSE, WORDS } from './points.ts';
import type { QdrantServer } from './qdrant-server.ts';

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

/** Creates a collection with the point that describes it. */
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
  const message = `The Qdrant server has a collection "${name}" that Pegboard did not make. Set another name: rag.collections.<name>.collection`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'collection', reason: 'not made by Pegboard' });
}

/** Finds a collection, or throws an error that lists the existing ones. */
export async function getCollection(server: QdrantServer, name: string): Promise<About> {
  const names = await listNames(server);
  const about = names.includes(name) ? await readAbout(server, name) : undefined;
  if (about !== undefined) return about;
  throw unknownCollection(name, await listCollections(server));
}

/** Lists the collections that Pegboard created, by name. */
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
