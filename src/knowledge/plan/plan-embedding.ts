import type { Embedder } from '../../vectors/embedder.ts';
import { readReranker, type RerankerConfig } from '../../vectors/rerank/reranker-config.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { describeEmbedder, findMaker, isLocal, knownDimension } from '../../vectors/embedder-config.ts';
import {
  dropUnsetVariable,
  type KnowledgeDrivers,
  type PlannedCollection,
  type PlannedEmbedder,
  type SettingsFault,
} from './knowledge-plan.ts';
import type {
  CollectionSettings,
  KnowledgeSettings,
  StoreServerSettings,
  VectorizerSettings,
} from './knowledge-settings.ts';

/** The context of a collection's embedding settings. */
interface EmbeddingPlanning {
  readonly settings: KnowledgeSettings;
  readonly serverName: string;
  readonly server: StoreServerSettings;
  /** The path of the collection in the settings. */
  readonly path: readonly string[];
  readonly faults: SettingsFault[];
  /** The caller's embedder, which replaces the common vectorizer. */
  readonly own: Pick<Embedder, 'dimension'> | undefined;
  readonly embedders: KnowledgeDrivers['embedders'];
}

/** Plans the embedder of a collection and the length of its vectors; adds faults for settings that cannot work. */
export function planEmbedding(
  collection: CollectionSettings,
  planning: EmbeddingPlanning,
): Pick<PlannedCollection, 'embedder' | 'dimension'> {
  const { settings, server, path } = planning;
  const own = collection.vectorizer === undefined ? planning.own : undefined;
  const embedder = readVectorizer(collection.vectorizer ?? settings.vectorizer, {
    ...planning,
    path: collection.vectorizer === undefined ? ['vectorizer'] : [...path, 'vectorizer'],
    own,
  });
  const dimension = collection.embeddings_dimension ?? server.embeddings_dimension;
  if (embedder !== undefined && dimension !== undefined)
    checkDimension(dimension, embedder, { ...planning, path: pathOfDimension(collection, planning), own });
  return { embedder, dimension };
}

function readVectorizer(
  vectorizer: VectorizerSettings | undefined,
  { path, faults, own, embedders }: Pick<EmbeddingPlanning, 'path' | 'faults' | 'own' | 'embedders'>,
): PlannedEmbedder | undefined {
  if (vectorizer === undefined || vectorizer.platform?.toLowerCase() === 'none') return undefined;
  const make = findMaker(vectorizer, embedders);
  if (own === undefined && make === undefined) checkServer(() => describeEmbedder(vectorizer), { path, faults });
  return { ...vectorizer, api_key: dropUnsetVariable(vectorizer.api_key), ...(make === undefined ? {} : { make }) };
}

/** Checks the dimension now; otherwise a wrong number would be noticed only when a text is stored. */
function checkDimension(
  dimension: number,
  embedder: PlannedEmbedder,
  { path, faults, own }: Pick<EmbeddingPlanning, 'path' | 'faults' | 'own'>,
): void {
  if (embedder.make !== undefined) return;
  const gives = own === undefined ? knownDimension(embedder) : own.dimension;
  if (gives === undefined || gives === dimension) return;
  const { platform = 'openai', model = platform } = embedder;
  const other =
    own === undefined && !isLocal(embedder) ? `set dimensions of the vectorizer to ${dimension}` : 'use another model';
  const message = `is ${dimension}, but the model ${model} gives vectors of ${gives} numbers. Set it to ${gives}, or ${other}.`;
  addOnce(faults, { path, message });
}

function pathOfDimension(
  collection: CollectionSettings,
  { settings, serverName, path }: EmbeddingPlanning,
): readonly string[] {
  if (collection.embeddings_dimension !== undefined) return [...path, 'embeddings_dimension'];
  return settings.servers?.[serverName] === undefined ? ['store'] : ['servers', serverName, 'embeddings_dimension'];
}

/** Plans the reranker of a collection; adds faults for settings that cannot work. */
export function planReranker(
  reranker: RerankerConfig | undefined,
  { path, faults }: Pick<EmbeddingPlanning, 'path' | 'faults'>,
): RerankerConfig | undefined {
  if (reranker === undefined || reranker.platform?.toLowerCase() === 'none') return undefined;
  checkServer(() => readReranker(reranker), { path, faults });
  return { ...reranker, api_key: dropUnsetVariable(reranker.api_key) };
}

/** Adds a fault once, even if several collections share the server or vectorizer. */
function addOnce(faults: SettingsFault[], fault: SettingsFault): void {
  const isListed = faults.some(({ path, message }) => message === fault.message && path.join() === fault.path.join());
  if (!isListed) faults.push(fault);
}

/** Lists the error of a check as a fault. A missing key may be set later, so it is none. */
function checkServer(check: () => unknown, { path, faults }: Pick<EmbeddingPlanning, 'path' | 'faults'>): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { field = 'platform', message } = error;
    if (field !== 'api_key') addOnce(faults, { path: [...path, field], message });
  }
}
