// Measures the cost of opening a large board, and the time of `pegboard list` beside a bare Node.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadBuilt } from './load-built.ts';
import { atMost, formatFigure, publish } from './report.ts';
import { measureInRounds, medianOf, type Subject } from './rounds.ts';

const { openBoard } = await loadBuilt('index');

const FILES = 50;
const TOOLS_PER_FILE = 20;
const ROUNDS = 15;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));
for (let file = 0; file < FILES; file++) writeFileSync(join(folder, `f${file}.yaml`), writeFile(file));
const small = join(folder, 'f0.yaml');

const subjects: Subject[] = [
  { name: 'open', measure: () => time(openAll) },
  { name: 'node -e 0', measure: () => time(() => run(['-e', '0'])) },
  { name: 'pegboard list', measure: () => time(() => run([CLI, 'list', small])) },
  { name: 'parse', measure: parseCold },
];
for (const subject of subjects) await subject.measure();
const timings = await measureInRounds(subjects, ROUNDS);
rmSync(folder, { recursive: true });

const bare = medianOf(timings, 'node -e 0');
const list = medianOf(timings, 'pegboard list');
const parse = medianOf(timings, 'parse');
publish({
  name: 'config-load',
  tables: [
    {
      caption: `${FILES * TOOLS_PER_FILE} tools in ${FILES} files, and one file of ${TOOLS_PER_FILE} tools:`,
      head: ['What', 'ms'],
      rows: [
        ['openBoard, all files', formatFigure(medianOf(timings, 'open'))],
        ['node -e 0', formatFigure(bare)],
        ['loading js-yaml and parsing one file, in a new process', formatFigure(parse)],
        ['pegboard list, one file', formatFigure(list)],
      ],
    },
  ],
  bars: [
    atMost('1,000 tools from 50 files load in under 250 ms', medianOf(timings, 'open'), { limit: 250, unit: 'ms' }),
    atMost('pegboard list takes under twice node -e 0, plus the parse', list / (2 * bare + parse), {
      limit: 1,
      unit: '×',
    }),
  ],
});

async function openAll(): Promise<void> {
  const board = await openBoard(folder);
  if (board.registry.size < FILES * TOOLS_PER_FILE) throw new Error(`Only ${board.registry.size} tools were loaded.`);
  await board.close();
}

/** Measures the parse alone in a process that has just started, by that process's own clock. */
function parseCold(): number {
  const script = `import { readFileSync } from 'node:fs';
    const start = performance.now();
    const { load } = await import('js-yaml');
    load(readFileSync(${JSON.stringify(small)}, 'utf8'));
    console.log(performance.now() - start);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', cwd: ROOT }));
}

function run(args: readonly string[]): void {
  execFileSync(process.execPath, args, { stdio: 'ignore' });
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function writeFile(file: number): string {
  const tools = Array.from({ length: TOOLS_PER_FILE }, (_, tool) => [
    `  - type: cli`,
    `    name: c${file}_tool_${tool}`,
    `    description: Show the thing number ${tool} of source ${file}`,
    `    command: git sub${tool}`,
    `    args:`,
    ...['string', 'integer', 'boolean'].flatMap((type, n) => [
      `      - name: arg_${n}`,
      `        type: ${type}`,
      `        description: The argument ${n} of this tool, which does something`,
    ]),
  ]);
  return ['name: cli' + file, 'category: vcs', 'tools:', ...tools.flat(), ''].join('\n');
}
