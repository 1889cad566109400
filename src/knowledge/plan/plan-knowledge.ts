import { isPlainObject } from '../../tool/json.ts';
import type { Embedder } from '../../vectors/embedder.ts';
import { type ChunkSettings, DEFAULT_CHUNKS } from '../chunking/chunk.ts';
import type { Distance } from '../vector-store.ts';
import {
  type Driver,
  DRIVERS,
  dropUnsetVariable,
  type KnowledgeDrivers,
  type PlannedCollection,
  type PlannedServer,
  type SettingsFault,
  unknownName,
} from './knowledge-plan.ts';
import type {
  CollectionSettings,
  KnowledgeSettings,
  StoreServerSettings,
  TransformerSettings,
} from './knowledge-settings.ts';
import { planEmbedding, planReranker } from './plan-embedding.ts';
import { planSources } from './plan-sources.ts';

/** Every collection and server of the settings, with the faults. */
export interface KnowledgePlan {
  readonly collections: ReadonlyMap<string, PlannedCollection>;
  readonly servers: ReadonlyMap<string, PlannedServer>;
  readonly faults: readonly SettingsFault[];
}

const DEFAULT = 'default';
/** Other systems' names for the same drivers. */
const DRIVER_ALIASES: Readonly<Record<string, Driver>> = {
  in_memory: 'memory',
  postgresql: 'postgres',
  pgvector: 'postgres',
};
const DISTANCES: Readonly<Record<string, Distance>> = {
  cosine: 'cosine',
  dot: 'dot',
  euclid: 'euclidean',
  euclidean: 'euclidean',
};
const COLLECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Additions to the built-in drivers and embedders. */
interface PlanOptions extends Partial<KnowledgeDrivers> {
  /** The caller's embedder, for which `settings.vectorizer` is a placeholder. */
  readonly own?: Pick<Embedder, 'dimension'> | undefined;
}

/**
 * Plans collections and servers from settings.
 *
 * Without servers, everything is in the embedded store. Without collections, those that tools ask for (`wanted`) exist,
 * so a file needs no `rag` section.
 */
export function planKnowledge(
  settings: KnowledgeSettings,
  wanted: readonly string[] = [],
  { own, stores = {}, embedders = {} }: PlanOptions = {},
): KnowledgePlan {
  const faults: SettingsFault[] = [];
  const legacy = readLegacyStore(settings.store);
  const given: Record<string, StoreServerSettings> = {
    ...(legacy === undefined ? {} : { [DEFAULT]: legacy.server }),
    ...settings.servers,
  };
  const servers = new Map<string, { settings: StoreServerSettings; planned: PlannedServer }>();
  for (const [name, server] of Object.entries(given)) {
    const path = settings.servers?.[name] === undefined ? ['store'] : ['servers', name];
    servers.set(name, { settings: server, planned: planServer(name, server, { path, faults, stores }) });
  }
  if (!servers.has(DEFAULT)) {
    const embedded: StoreServerSettings = { driver: 'sqlite' };
    servers.set(DEFAULT, { settings: embedded, planned: planServer(DEFAULT, embedded, { path: [], faults, stores }) });
  }
  const named: Record<string, CollectionSettings | null> =
    settings.collections ??
    (legacy === undefined ? Object.fromEntries(wanted.map((name) => [name, {}])) : { [DEFAULT]: legacy.collection });
  const collections = new Map<string, PlannedCollection>();
  for (const [name, collection] of Object.entries(named)) {
    const planned = planCollection(name, collection ?? {}, { settings, servers, faults, own, embedders });
    if (planned !== undefined) collections.set(name, planned);
  }
  return { collections, servers: new Map([...servers].map(([name, { planned }]) => [name, planned])), faults };
}

interface FaultPlace {
  readonly path: readonly string[];
  readonly faults: SettingsFault[];
}

function planServer(
  name: string,
  server: StoreServerSettings,
  { path, faults, stores }: FaultPlace & Pick<KnowledgeDrivers, 'stores'>,
): PlannedServer {
  const wanted = server.driver.toLowerCase();
  const open = Object.hasOwn(stores, wanted) ? stores[wanted] : undefined;
  const driver = open === undefined ? (DRIVERS.find((known) => known === wanted) ?? DRIVER_ALIASES[wanted]) : wanted;
  if (driver === undefined) {
    const known = [...DRIVERS, ...Object.keys(stores)];
    faults.push({ path: [...path, 'driver'], message: unknownName('driver', server.driver, known) });
  }
  return {
    name,
    driver: driver ?? 'sqlite',
    url: server.endpoint_url || undefined,
    apiKey: dropUnsetVariable(server.api_key),
    schema: server.schema || undefined,
    prefix: server.prefix || undefined,
    open,
  };
}

interface CollectionPlanning {
  readonly settings: KnowledgeSettings;
  readonly servers: ReadonlyMap<string, { readonly settings: StoreServerSettings; readonly planned: PlannedServer }>;
  readonly faults: SettingsFault[];
  readonly own: Pick<Embedder, 'dimension'> | undefined;
  readonly embedders: KnowledgeDrivers['embedders'];
}

function planCollection(
  name: string,
  collection: CollectionSettings,
  { settings, servers, faults, own, embedders }: CollectionPlanning,
): PlannedCollection | undefined {
  const path = ['collections', name];
  const serverName = collection.server ?? usualServer(settings);
  const server = servers.get(serverName);
  if (server === undefined) {
    faults.push({ path: [...path, 'server'], message: unknownName('server', serverName, [...servers.keys()]) });
    return undefined;
  }
  const storedAs = collection.collection ?? name;
  if (!COLLECTION_NAME.test(storedAs)) {
    const rule = 'Use 1 to 128 letters, digits, "_", "." and "-", beginning with a letter or a digit.';
    faults.push({
      path: collection.collection === undefined ? path : [...path, 'collection'],
      message: `"${storedAs.slice(0, 80)}" cannot be the name of a collection. ${rule}`,
    });
  }
  const distance = collection.embeddings_distance ?? server.settings.embeddings_distance ?? 'cosine';
  const known = DISTANCES[distance.toLowerCase()];
  if (known === undefined) {
    const at = collection.embeddings_distance === undefined ? ['servers', serverName] : path;
    faults.push({
      path: [...at, 'embeddings_distance'],
      message: `unknown distance "${distance}". Use one of: Cosine, Dot, Euclid.`,
    });
  }
  const { embedder, dimension } = planEmbedding(collection, {
    settings,
    serverName,
    server: server.settings,
    path,
    faults,
    own,
    embedders,
  });
  return {
    name,
    storedAs,
    description: collection.description,
    server: server.planned,
    embedder,
    dimension,
    distance: known ?? 'cosine',
    chunks: planChunks(settings.transformer, collection.transformer, { path, faults }),
    reranker: planReranker(collection.reranker ?? settings.reranker, {
      path: collection.reranker === undefined ? ['reranker'] : [...path, 'reranker'],
      faults,
    }),
    sources: planSources(collection.sources, { path, faults }),
  };
}

/** Returns the only server, or `default`. */
function usualServer({ servers = {} }: KnowledgeSettings): string {
  const [only, ...others] = Object.keys(servers);
  return only !== undefined && others.length === 0 ? only : DEFAULT;
}

function planChunks(
  common: TransformerSettings = {},
  own: TransformerSettings = {},
  { path, faults }: FaultPlace,
): ChunkSettings {
  const size = own.chunk_size ?? common.chunk_size ?? DEFAULT_CHUNKS.size;
  const wanted = own.overlap ?? common.overlap;
  // Only the default overlap adapts to a small size.
  const overlap = wanted ?? Math.min(DEFAULT_CHUNKS.overlap, Math.floor(size / 5));
  if (overlap >= size) {
    const at = own.overlap === undefined && own.chunk_size === undefined ? ['transformer'] : [...path, 'transformer'];
    const message = `${overlap} is not smaller than chunk_size ${size}: every chunk would repeat the one before.`;
    if (!faults.some((fault) => fault.message === message)) faults.push({ path: [...at, 'overlap'], message });
  }
  return { size, overlap };
}

/** Reads `store: { driver: qdrant, qdrant: { endpoint_url, collection, … } }`, or the same without the middle level. */
function readLegacyStore(
  store: Readonly<Record<string, unknown>> | undefined,
): { server: StoreServerSettings; collection: CollectionSettings } | undefined {
  if (store === undefined) return undefined;
  const driver = textOf(store['driver']) ?? 'qdrant';
  const nested = store[driver];
  const source = isPlainObject(nested) ? nested : store;
  const dimension = Number(source['embeddings_dimension']);
  return {
    server: {
      driver,
      endpoint_url: textOf(source['endpoint_url']),
      api_key: textOf(source['api_key']),
      embeddings_dimension: Number.isInteger(dimension) ? dimension : undefined,
      embeddings_distance: textOf(source['embeddings_distance']),
    },
    collection: { server: 'default', collection: textOf(source['collection']) ?? 'ctx_knowledge' },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
