// Measures the cost of indexing: 10,000 Markdown files read, cut and stored by words, and a second run over the same files.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKnowledge } from '../src/rag.ts';
import { atMost, type BenchReport, formatFigure, publish } from './report.ts';

const FILES = 10_000;
const WORDS =
  'alpha beta gamma system login token cache index search vector memory queue retry server client request answer board tool schema'.split(
    ' ',
  );

const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));
writeFiles(join(folder, 'files'));
const knowledge = openKnowledge({ data: join(folder, 'data'), base: folder, collections: { docs: {} } });
const docs = knowledge.collection('docs');

const first = await measure();
const second = await measure();
await knowledge.close();
rmSync(folder, { recursive: true });

const rate = first.chunks / first.cpu;
const report: BenchReport = {
  name: 'rag-index',
  tables: [
    {
      caption: `${FILES.toLocaleString('en-US')} Markdown files of 2.5 kB, embedded store, no embedder:`,
      head: ['Run', 'Documents written', 'Chunks written', 'Seconds', 'CPU seconds', 'Memory (MB)'],
      rows: [first, second].map(({ indexed, chunks, seconds, cpu, memory }, index) => [
        index === 0 ? 'first' : 'second, nothing changed',
        ...[indexed, chunks, seconds, cpu, memory].map(formatFigure),
      ]),
    },
  ],
  bars: [
    { promise: 'at least 5,000 chunks per CPU second', measured: formatFigure(rate), passed: rate >= 5000 },
    atMost('a second run', second.seconds, { limit: 2, unit: 's' }),
    {
      promise: 'no document written by the second run',
      measured: String(second.indexed),
      passed: second.indexed === 0,
    },
  ],
};
publish(report);

async function measure(): Promise<Record<'indexed' | 'chunks' | 'seconds' | 'cpu' | 'memory', number>> {
  const cpu = process.cpuUsage();
  const { indexed, chunks, durationMs } = await docs.index(['files'], { cwd: folder });
  const { user, system } = process.cpuUsage(cpu);
  const memory = process.memoryUsage().rss / 1_000_000;
  return { indexed, chunks, seconds: durationMs / 1000, cpu: (user + system) / 1_000_000, memory };
}

/** The same files every time, an hour old. */
function writeFiles(root: string): void {
  const time = new Date(Date.now() - 3_600_000);
  let seed = 1;
  const next = (): string => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return WORDS[seed % WORDS.length] ?? '';
  };
  for (let file = 0; file < FILES; file++) {
    const sections = Array.from(
      { length: 4 },
      (_, n) => `## Section ${n}\n\n${Array.from({ length: 90 }, next).join(' ')}.\n`,
    );
    const path = join(root, String(file % 100), `${file}.md`);
    mkdirSync(join(root, String(file % 100)), { recursive: true });
    writeFileSync(path, `# Document ${file}\n\n${sections.join('\n')}`);
    utimesSync(path, time, time);
  }
}
