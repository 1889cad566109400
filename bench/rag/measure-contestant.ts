// Measures one contestant on one set in a process of its own: node measure-contestant.ts CONTESTANT SET
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTESTANTS, sizeOf } from './contestants.ts';
import { toNdcg } from './ndcg.ts';
import { percentile } from './percentile.ts';
import { readRagSets } from './read-rag-sets.ts';
import { readVectors } from './read-vectors.ts';

/** The figures of a contestant on a set. */
export interface ContestantFigures {
  readonly ndcg10: number;
  readonly recall100: number;
  readonly documentsPerCpuSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Memory of the process without the texts and vectors themselves. */
  readonly memory: number;
  readonly bytes: number;
}

const [name = '', setName = ''] = process.argv.slice(2);
const open = CONTESTANTS[name];
const set = readRagSets().find((candidate) => candidate.name === setName);
if (open === undefined || set === undefined) throw new Error(`Unknown contestant "${name}" or set "${setName}".`);
const vectors = await readVectors(set);
const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));
globalThis.gc?.();
const before = process.memoryUsage().rss;
const began = process.cpuUsage();
const opened = await open({ set, vectors, folder });
const { user, system } = process.cpuUsage(began);
const times: number[] = [];
let [ndcg, recall] = [0, 0];
for (const [place, query] of set.queries.entries()) {
  const start = performance.now();
  const ranked = await opened.search(place);
  times.push(performance.now() - start);
  ndcg += toNdcg(ranked, query);
  recall += ranked.filter((id) => query.gains.has(id)).length / query.gains.size;
}
globalThis.gc?.();
const figures: ContestantFigures = {
  ndcg10: ndcg / set.queries.length,
  recall100: recall / set.queries.length,
  documentsPerCpuSecond: set.documents.length / ((user + system) / 1e6),
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  memory: Math.max(0, process.memoryUsage().rss - before),
  bytes: sizeOf(folder),
};
await opened.close?.();
rmSync(folder, { recursive: true, force: true });
process.send?.(figures, () => process.exit());
