// The thread of the local embedder: it loads the model once and answers one order after the other.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { EmbedAnswer, EmbedOrder, ModelFiles } from './embed-worker-client.ts';
import { type MiniLm, openMiniLm } from './minilm.ts';
import { readTensors } from './read-tensors.ts';
import { createWordPieces } from './word-pieces.ts';

// What local-embedder.ts started this thread with.
const files = workerData as ModelFiles;
let model: MiniLm | undefined;

parentPort?.on('message', ({ texts }: EmbedOrder) => {
  try {
    model ??= load(files);
    const embedded = model.embed(texts);
    const dimension = embedded[0]?.length ?? 0;
    const vectors = new Float32Array(embedded.length * dimension);
    for (const [place, vector] of embedded.entries()) vectors.set(vector, place * dimension);
    answer({ ok: true, vectors, dimension });
  } catch (error) {
    answer({ ok: false, message: error instanceof Error ? error.message : String(error) });
  }
});

function answer(message: EmbedAnswer): void {
  parentPort?.postMessage(message, message.ok ? [message.vectors.buffer as ArrayBuffer] : []);
}

function load({ weights, vocabulary }: ModelFiles): MiniLm {
  // The tokenizer's file as its library writes it: the vocabulary is a table from piece to number.
  const { model } = JSON.parse(readFileSync(vocabulary, 'utf8')) as { model: { vocab: Record<string, number> } };
  const file = openSync(weights, 'r');
  try {
    return openMiniLm(readTensors(file), createWordPieces(model.vocab));
  } finally {
    closeSync(file);
  }
}
