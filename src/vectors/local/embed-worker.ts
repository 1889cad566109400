// A thread of the local embedder: loads the model once and answers requests in order.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { EmbedAnswer, EmbedOrder, EmbedThread, ModelFiles } from './embed-threads.ts';
import { createWordPieces, type MiniLm, readMiniLm, readTensors } from './minilm-parts.ts';
import { openMiniLm } from './minilm.ts';
import { type OnnxRuntime, openOnnxMiniLm } from './onnx-minilm.ts';

// embed-threads.ts sets this.
const { files, engine, isFurther } = workerData as EmbedThread;
let model: Promise<MiniLm> | undefined;

// The board's other work goes first. Only on Linux does 0 mean this thread alone.
if (isFurther && process.platform === 'linux') setPriority(0, 10);

parentPort?.on('message', ({ texts }: EmbedOrder) => {
  void answer(texts);
});

async function answer(texts: readonly string[]): Promise<void> {
  try {
    const embedded = await (await (model ??= load(files))).embed(texts);
    const dimension = embedded[0]?.length ?? 0;
    const vectors = new Float32Array(embedded.length * dimension);
    for (const [place, vector] of embedded.entries()) vectors.set(vector, place * dimension);
    parentPort?.postMessage({ ok: true, vectors, dimension } satisfies EmbedAnswer, [vectors.buffer]);
  } catch (error) {
    model = undefined;
    const message = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ ok: false, message } satisfies EmbedAnswer);
  }
}

async function load({ weights, vocabulary }: ModelFiles): Promise<MiniLm> {
  // The tokenizer's file as its library writes it: the vocabulary maps pieces to numbers.
  const { model: table } = JSON.parse(readFileSync(vocabulary, 'utf8')) as { model: { vocab: Record<string, number> } };
  const file = openSync(weights, 'r');
  try {
    const parts = readMiniLm(readTensors(file), createWordPieces(table.vocab));
    const runtime = engine === 'wasm' ? undefined : findRuntime();
    if (runtime === undefined) return openMiniLm(parts);
    try {
      return await openOnnxMiniLm(parts, runtime);
    } catch (error) {
      if (engine === 'onnx') throw error;
      return openMiniLm(parts);
    }
  } finally {
    closeSync(file);
  }
}

/** Loads onnxruntime-node if it is installed and runs on this machine. It is optional, so its absence is not an error. */
function findRuntime(): OnnxRuntime | undefined {
  try {
    // The package's own types need one of the browser's; `OnnxRuntime` declares the part used here.
    return loadPeer('onnxruntime-node', 'A quicker local embedder') as OnnxRuntime;
  } catch (error) {
    if (engine === 'onnx') throw error;
    return undefined;
  }
}
