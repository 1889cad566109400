import { HIDDEN, INNER, LAYERS, type MiniLm, type MiniLmParts, MOST_TOKENS } from './minilm-parts.ts';
import { type OnnxGraph, type OnnxNode, type OnnxTensor, writeOnnx } from './write-onnx.ts';

/** The part of onnxruntime-node used here. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: string, values: Float32Array | Int32Array, shape: readonly number[]) => object;
}

interface OnnxSession {
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { readonly data: unknown }>>>;
}

/** The domain of the runtime's own operations, which cover what transformers have in common. */
const RUNTIME = 'com.microsoft';
const HEADS = 12;
/**
 * Most weights are 8-bit integers with a scale for each 32 of them, and so are activations while they are multiplied.
 * Blocks of 128, or integers for queries, keys and values too, would be a few percent faster, but with cosines under
 * 0.999 to the model in floats.
 */
const BLOCK = 32;
const EPSILON = { epsilon: { float: 1e-12 } };
/** Tokens that go through the model at once: more do not fit into the core's caches. */
const BATCH = 256;

/** Runs the model with onnxruntime-node, which uses wider instructions than WebAssembly has. */
export async function openOnnxMiniLm(parts: MiniLmParts, runtime: OnnxRuntime): Promise<MiniLm> {
  const session = await runtime.InferenceSession.create(writeOnnx(toGraph(parts)), {
    // One thread each: distributing texts over our own threads costs less than sharing each product.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const run = async (batch: readonly (readonly number[])[]): Promise<Float32Array[]> => {
    const length = Math.max(...batch.map((tokens) => tokens.length));
    const rows = new Float32Array(batch.length * length * HIDDEN);
    for (const [number, tokens] of batch.entries()) {
      for (const [place, token] of tokens.entries())
        parts.writeToken(rows, { token, place, row: number * length + place });
    }
    const lengths = Int32Array.from(batch, (tokens) => tokens.length);
    const answer = await session.run({
      rows: new runtime.Tensor('float32', rows, [batch.length, length, HIDDEN]),
      lengths: new runtime.Tensor('int32', lengths, [batch.length]),
    });
    const data = answer['out']?.data;
    if (!(data instanceof Float32Array)) throw new Error('onnxruntime-node gave no vectors.');
    return batch.map((tokens, number) => pool(data.subarray(number * length * HIDDEN), tokens.length));
  };
  return {
    async embed(texts) {
      const vectors: Float32Array[] = Array.from({ length: texts.length });
      for (const batch of toBatches(texts.map((text) => parts.readPieces(text, MOST_TOKENS)))) {
        const found = await run(batch.map(({ tokens }) => tokens));
        for (const [place, { number }] of batch.entries()) vectors[number] = found[place] ?? new Float32Array();
      }
      return vectors;
    },
  };
}

interface NumberedText {
  readonly number: number;
  readonly tokens: readonly number[];
}

/** Groups texts of similar length, because shorter ones are padded. */
function toBatches(texts: readonly (readonly number[])[]): NumberedText[][] {
  const sorted = texts
    .map((tokens, number) => ({ number, tokens }))
    .toSorted((one, other) => other.tokens.length - one.tokens.length);
  const batches: NumberedText[][] = [];
  for (const text of sorted) {
    const last = batches.at(-1);
    const longest = last?.[0]?.tokens.length ?? 0;
    const isFitting = last !== undefined && (last.length + 1) * longest <= BATCH && text.tokens.length * 2 > longest;
    if (isFitting) last.push(text);
    else batches.push([text]);
  }
  return batches;
}

/** Returns the average of a text's rows, scaled to length 1. */
function pool(rows: Float32Array, count: number): Float32Array {
  const vector = new Float32Array(HIDDEN);
  for (let row = 0; row < count; row++) {
    for (let index = 0; index < HIDDEN; index++)
      vector[index] = (vector[index] ?? 0) + (rows[row * HIDDEN + index] ?? 0);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

function toGraph({ floats }: MiniLmParts): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const tensors: OnnxTensor[] = [];
  const vector = (name: string): string => {
    const values = floats(name);
    tensors.push({ name, shape: [values.length], values });
    return name;
  };
  const multiply = (name: string, { from, columns }: { readonly from: string; readonly columns: number }): string => {
    const weights = floats(`${name}.weight`);
    const rows = weights.length / columns;
    const { integers, scales } = quantize(weights);
    tensors.push({ name: `${name}.integers`, shape: [rows, columns / BLOCK, BLOCK], values: integers });
    tensors.push({ name: `${name}.scales`, shape: [scales.length], values: scales });
    const inputs = [from, `${name}.integers`, `${name}.scales`];
    // Level 4: activations are 8-bit integers too.
    const attributes = { K: columns, N: rows, bits: 8, block_size: BLOCK, accuracy_level: 4 };
    nodes.push({ type: 'MatMulNBits', inputs, output: name, attributes, domain: RUNTIME });
    return name;
  };
  const addAndNorm = (name: string, inputs: readonly string[], output: string): string => {
    const [product = '', before = '', bias = ''] = inputs;
    const all = [product, before, vector(`${name}.weight`), vector(`${name}.bias`), bias];
    nodes.push({ type: 'SkipLayerNormalization', inputs: all, output, attributes: EPSILON, domain: RUNTIME });
    return output;
  };

  const norm = ['embeddings.LayerNorm.weight', 'embeddings.LayerNorm.bias'].map(vector);
  nodes.push({
    type: 'LayerNormalization',
    inputs: ['rows', ...norm],
    output: 'in',
    attributes: { axis: 2, ...EPSILON },
  });
  let x = 'in';
  for (let number = 0; number < LAYERS; number++) {
    const name = `encoder.layer.${number}`;
    nodes.push({
      type: 'Attention',
      inputs: [x, ...joinAttention(`${name}.attention.self`, floats, tensors), 'lengths'],
      output: `${name}.attention`,
      attributes: { num_heads: HEADS },
      domain: RUNTIME,
    });
    const attention = `${name}.attention.output`;
    const attended = multiply(`${attention}.dense`, { from: `${name}.attention`, columns: HIDDEN });
    const middle = addAndNorm(
      `${attention}.LayerNorm`,
      [attended, x, vector(`${attention}.dense.bias`)],
      `${name}.middle`,
    );
    const inner = multiply(`${name}.intermediate.dense`, { from: middle, columns: HIDDEN });
    const activated = `${name}.activated`;
    const bias = vector(`${name}.intermediate.dense.bias`);
    nodes.push({ type: 'BiasGelu', inputs: [inner, bias], output: activated, domain: RUNTIME });
    const product = multiply(`${name}.output.dense`, { from: activated, columns: INNER });
    const inputs = [product, middle, vector(`${name}.output.dense.bias`)];
    x = addAndNorm(`${name}.output.LayerNorm`, inputs, number === LAYERS - 1 ? 'out' : `${name}.out`);
  }
  const shape = ['batch', 'length', HIDDEN];
  return {
    nodes,
    tensors,
    inputs: [
      { name: 'rows', type: 'float32', shape },
      { name: 'lengths', type: 'int32', shape: ['batch'] },
    ],
    output: { name: 'out', type: 'float32', shape },
    operations: { '': 17, [RUNTIME]: 1 },
  };
}

/** Adds the weights and biases of queries, keys and values as one tensor each and returns their names. */
function joinAttention(name: string, floats: MiniLmParts['floats'], tensors: OnnxTensor[]): readonly string[] {
  const parts = ['query', 'key', 'value'].map((part) => `${name}.${part}`);
  const width = parts.length * HIDDEN;
  const weights = new Float32Array(HIDDEN * width);
  const bias = new Float32Array(width);
  for (const [number, part] of parts.entries()) {
    const values = floats(`${part}.weight`);
    // The model has a row for each output, the runtime one for each input.
    for (let row = 0; row < HIDDEN; row++) {
      for (let column = 0; column < HIDDEN; column++)
        weights[column * width + number * HIDDEN + row] = values[row * HIDDEN + column] ?? 0;
    }
    bias.set(floats(`${part}.bias`), number * HIDDEN);
  }
  tensors.push({ name: `${name}.weight`, shape: [HIDDEN, width], values: weights });
  tensors.push({ name: `${name}.bias`, shape: [width], values: bias });
  return [`${name}.weight`, `${name}.bias`];
}

/** Converts blocks of weights to integers around 128 with one scale for each block. */
function quantize(weights: Float32Array): { readonly integers: Uint8Array; readonly scales: Float32Array } {
  const integers = new Uint8Array(weights.length);
  const scales = new Float32Array(weights.length / BLOCK);
  for (let block = 0; block < scales.length; block++) {
    const part = weights.subarray(block * BLOCK, (block + 1) * BLOCK);
    const scale = part.reduce((top, value) => Math.max(top, Math.abs(value)), 0) / 127;
    scales[block] = scale;
    for (const [place, value] of part.entries())
      integers[block * BLOCK + place] = scale === 0 ? 128 : Math.round(value / scale) + 128;
  }
  return { integers, scales };
}
