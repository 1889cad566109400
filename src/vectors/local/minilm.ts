import { createMemory, type KernelMemory, openKernel, PAGE } from '../../platform/wasm/open-kernel.ts';
import { KERNEL } from './minilm-kernel.generated.ts';
import { HIDDEN, INNER, LAYERS, type MiniLm, type MiniLmParts, MOST_TOKENS } from './minilm-parts.ts';

/** Tokens that go through the model at once, of one or several texts. */
const BATCH = 512;
/** Enough bytes for the weights and the activations. */
const MEMORY = 36_000_000;

/** The exports of wasm/minilm.ts; every operand is an offset into the memory. */
interface Kernel {
  quantize(source: number, target: number, scales: number, rows: number, columns: number): void;
  // One parameter for each operand: this is the shape of the compiled function.
  multiply(...operands: readonly number[]): void;
  attend(rows: number, out: number, scores: number, count: number): void;
  addAndNorm(x: number, y: number, gain: number, bias: number, rows: number): void;
  activate(x: number, count: number): void;
  pool(x: number, out: number, rows: number): void;
}

/** A matrix of integers with a scale for each row and a bias. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: number;
  readonly scales: number;
  readonly bias: number;
}

interface Norm {
  readonly gain: number;
  readonly bias: number;
}

interface Layer {
  readonly attention: Matrix;
  readonly attentionOut: Matrix;
  readonly attentionNorm: Norm;
  readonly inner: Matrix;
  readonly out: Matrix;
  readonly norm: Norm;
}

/** Runs the model in WebAssembly. The same text yields the same numbers in every batch. */
export function openMiniLm({ floats, writeToken, readPieces }: MiniLmParts): MiniLm {
  const memory = createMemory(MEMORY);
  const place = createPlacer(memory);
  const kernel = openKernel<Kernel>(KERNEL, memory);
  const put = (values: Float32Array): number => {
    const at = place(values.length * 4);
    new Float32Array(memory.buffer, at, values.length).set(values);
    return at;
  };
  const norm = (name: string): Norm => ({ gain: put(floats(`${name}.weight`)), bias: put(floats(`${name}.bias`)) });
  const matrix = (names: readonly string[], columns: number): Matrix => {
    const parts = names.map((name) => floats(`${name}.weight`));
    const biases = names.map((name) => floats(`${name}.bias`));
    const rows = biases.reduce((sum, { length }) => sum + length, 0);
    const [values, scales, bias] = [place(rows * columns * 2), place(rows * 4), place(rows * 4)];
    let row = 0;
    for (const [index, part] of parts.entries()) {
      // The memory of the activations is free while the model loads.
      new Float32Array(memory.buffer, room.inner, part.length).set(part);
      const count = part.length / columns;
      kernel.quantize(room.inner, values + row * columns * 2, scales + row * 4, count, columns);
      new Float32Array(memory.buffer, bias + row * 4, count).set(biases[index] ?? []);
      row += count;
    }
    return { rows, columns, values, scales, bias };
  };
  const room = {
    x: place(BATCH * HIDDEN * 4),
    y: place(BATCH * HIDDEN * 4),
    attention: place(BATCH * HIDDEN * 3 * 4),
    inner: place(BATCH * INNER * 4),
    integers: place(BATCH * INNER * 2),
    scales: place(BATCH * 4),
    scores: place((MOST_TOKENS + 4) * 4),
    pooled: place(HIDDEN * 4),
    zero: place(HIDDEN * 4),
  };
  const layers = Array.from({ length: LAYERS }, (_, number): Layer => {
    const name = `encoder.layer.${number}`;
    const self = `${name}.attention.self`;
    return {
      attention: matrix([`${self}.query`, `${self}.key`, `${self}.value`], HIDDEN),
      attentionOut: matrix([`${name}.attention.output.dense`], HIDDEN),
      attentionNorm: norm(`${name}.attention.output.LayerNorm`),
      inner: matrix([`${name}.intermediate.dense`], HIDDEN),
      out: matrix([`${name}.output.dense`], INNER),
      norm: norm(`${name}.output.LayerNorm`),
    };
  });
  const firstNorm = norm('embeddings.LayerNorm');

  const multiply = (matrix: Matrix, { from, to, count }: { from: number; to: number; count: number }): void => {
    const { rows, columns, values, scales, bias } = matrix;
    kernel.quantize(from, room.integers, room.scales, count, columns);
    kernel.multiply(room.integers, room.scales, values, scales, bias, to, count, rows, columns);
  };
  const run = (batch: readonly (readonly number[])[]): Float32Array[] => {
    const x = new Float32Array(memory.buffer, room.x, BATCH * HIDDEN);
    let count = 0;
    for (const tokens of batch)
      for (const [place, token] of tokens.entries()) writeToken(x, { token, place, row: count++ });
    // Adds zero, because only the norm is wanted here.
    for (let row = 0; row < count; row++) {
      kernel.addAndNorm(room.x + row * HIDDEN * 4, room.zero, firstNorm.gain, firstNorm.bias, 1);
    }
    for (const layer of layers) {
      multiply(layer.attention, { from: room.x, to: room.attention, count });
      let row = 0;
      for (const { length } of batch) {
        kernel.attend(room.attention + row * HIDDEN * 12, room.inner + row * HIDDEN * 4, room.scores, length);
        row += length;
      }
      multiply(layer.attentionOut, { from: room.inner, to: room.y, count });
      kernel.addAndNorm(room.x, room.y, layer.attentionNorm.gain, layer.attentionNorm.bias, count);
      multiply(layer.inner, { from: room.x, to: room.inner, count });
      kernel.activate(room.inner, count * INNER);
      multiply(layer.out, { from: room.inner, to: room.y, count });
      kernel.addAndNorm(room.x, room.y, layer.norm.gain, layer.norm.bias, count);
    }
    let row = 0;
    return batch.map(({ length }) => {
      kernel.pool(room.x + row * HIDDEN * 4, room.pooled, length);
      row += length;
      return new Float32Array(memory.buffer, room.pooled, HIDDEN).slice();
    });
  };
  return { embed: (texts) => toBatches(texts.map((text) => readPieces(text, MOST_TOKENS))).flatMap(run) };
}

/** Groups texts that fit through the model together, in order. */
function toBatches(texts: readonly number[][]): number[][][] {
  const batches: number[][][] = [];
  let room = 0;
  for (const tokens of texts) {
    if (tokens.length > room) {
      batches.push([]);
      room = BATCH;
    }
    batches.at(-1)?.push(tokens);
    room -= tokens.length;
  }
  return batches;
}

/** Allocates memory in pieces aligned for 128-bit numbers. */
function createPlacer(memory: KernelMemory): (bytes: number) => number {
  let next = 1024;
  return (bytes) => {
    const at = next;
    next += Math.ceil(bytes / 16) * 16;
    if (next > memory.buffer.byteLength) memory.grow(Math.ceil((next - memory.buffer.byteLength) / PAGE));
    return at;
  };
}
