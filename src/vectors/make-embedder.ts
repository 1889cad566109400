import type { Embedder, EmbedderResources } from './embedder.ts';
import { createMemoryCache, withCache } from './cache/with-cache.ts';
import { openSqliteCache } from './cache/sqlite-cache.ts';
import { type EmbedderConfig, isLocal } from './embedder-config.ts';
import { createLocalEmbedder } from './local/local-embedder.ts';
import { createOpenAIEmbedder } from './openai/openai-embedder.ts';

/** Creates the embedder a config asks for, with a cache. This module is loaded by the first text. */
export function makeEmbedder(config: EmbedderConfig, resources: EmbedderResources): Embedder {
  const embedder = isLocal(config) ? createLocalEmbedder(config) : createOpenAIEmbedder(config, resources);
  return withCache(
    embedder,
    resources.data === undefined ? createMemoryCache() : openSqliteCache({ folder: resources.data }),
  );
}
