import type { Embedder, EmbedderResources } from './embedder.ts';
import { describeEmbedder, type EmbedderConfig, knownDimension } from './embedder-config.ts';

/**
 * Creates the embedder a config asks for, with a cache of its vectors.
 *
 * Nothing is loaded, started or sent before the first text. Throws `invalid_arguments` for a config that cannot work.
 * If the local model is not installed, the first text fails with `not_found` and the command to run.
 *
 * @example
 * const index = ToolIndex.from(registry, { embedder: createEmbedder({ platform: 'local' }) });
 */
export function createEmbedder(config: EmbedderConfig, resources: EmbedderResources = {}): Embedder {
  const id = describeEmbedder(config);
  let made: Promise<Embedder> | undefined;
  let dimension = knownDimension(config);
  let isClosed = false;
  const make = async (): Promise<Embedder> => {
    const { makeEmbedder } = await import('./make-embedder.ts');
    return makeEmbedder(config, resources);
  };
  return {
    id,
    get dimension() {
      return dimension;
    },
    embed: async (texts, options) => {
      options?.signal?.throwIfAborted();
      made ??= make();
      const embedder = await made;
      if (isClosed) await embedder.close();
      const vectors = await embedder.embed(texts, options);
      dimension ??= vectors[0]?.length;
      return vectors;
    },
    close: async () => {
      isClosed = true;
      // An embedder that could not be made has nothing to close.
      const embedder = await made?.catch(() => undefined);
      await embedder?.close();
    },
  };
}
