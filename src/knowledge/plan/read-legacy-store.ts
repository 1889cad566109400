import { isPlainObject } from '../../tool/json.ts';
import type { CollectionSettings, StoreServerSettings } from './knowledge-settings.ts';

/** Reads `store: { driver: qdrant, qdrant: { endpoint_url, collection, … } }`, or the same without the middle level. */
export function readLegacyStore(
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
