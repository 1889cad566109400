import type { Embedder } from '../core/embedder.ts';
import { createMemoryCache } from './cache/memory-cache.ts';
import { openSqliteCache } from './cache/sqlite-cache.ts';
import { withCache } from './cache/with-cache.ts';
import type { EmbedderConfig } from './embedder-config.ts';
import type { EmbedderHost } from './embedder-host.ts';
import { createLocalEmbedder } from './local/local-embedder.ts';
import { createOpenAIEmbedder } from './openai/openai-embedder.ts';

/**
 * Makes the embedder a config asks for; no text is embedded twice.
 *
 * Nothing is loaded, started or sent before the first text. Throws `invalid_arguments` for a config that makes no sense,
 * and `not_found` with the command to run when the local model is not installed.
 */
export function createEmbedder(config: EmbedderConfig, host: EmbedderHost = {}): Embedder {
  const embedder =
    config.platform?.toLowerCase() === 'local' ? createLocalEmbedder(config) : createOpenAIEmbedder(config, host);
  return withCache(embedder, host.data === undefined ? createMemoryCache() : openSqliteCache({ folder: host.data }));
}
