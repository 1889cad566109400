// Measures the cost of an import at the start of a program, and the modules that it brings along.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, formatFigure, publish } from './report.ts';
import { differenceOf, measureInRounds, medianOf } from './rounds.ts';

const ROUNDS = 15;
const HERE = fileURLToPath(new URL('.', import.meta.url));
const BARE = 'nothing (bare Node)';
const OURS = 'pegboard';
const USED = 'pegboard, one tool defined and called';

const PROGRAMS: Readonly<Record<string, string>> = {
  [BARE]: '',
  [OURS]: `import '../dist/index.js';`,
  [USED]: `
    import { defineTool, ToolRegistry } from '../dist/index.js';
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const tool = defineTool({ name: 'greet', description: 'Greets.', schema, execute: ({ name }) => name });
    await new ToolRegistry().register(tool).call('greet', { name: 'Ada' });`,
  zod: `import 'zod';`,
  '@openai/agents-core': `import '@openai/agents-core';`,
  '@langchain/core/tools': `import '@langchain/core/tools';`,
  ai: `import 'ai';`,
  '@mastra/core/tools': `import '@mastra/core/tools';`,
};

const names = Object.keys(PROGRAMS);
const timings = await measureInRounds(
  names.map((name) => ({ name, measure: () => timeStart(name) })),
  ROUNDS,
);
const ownModules = findModules(OURS);
const ownPackages = toPackages(ownModules);

publish({
  name: 'import-cost',
  tables: [
    {
      caption: `A Node process that imports this and ends, median of ${ROUNDS} starts:`,
      head: ['Imports', 'ms in all', 'ms more than bare Node', 'packages loaded'],
      rows: names.map((name) => [
        name,
        formatFigure(medianOf(timings, name)),
        addedBy(name).toFixed(1),
        String(toPackages(findModules(name)).length),
      ]),
    },
    {
      caption: `All that \`import 'pegboard'\` loads:`,
      head: ['Module', 'from'],
      rows: ownModules.map((url) => [
        url.replace(/.*\/dist\//, 'dist/').replace(/-[\w-]{8}\.js$/, '-*.js'),
        originOf(url),
      ]),
    },
  ],
  bars: [
    {
      promise: `\`import 'pegboard'\` loads no package: no LangChain, ai, ajv or zod`,
      measured: ownPackages.length === 0 ? 'none loaded' : ownPackages.join(', '),
      passed: ownPackages.length === 0,
    },
    atMost(`\`import 'pegboard'\` adds less to the start than \`import 'zod'\``, addedBy(OURS), {
      limit: addedBy('zod'),
      unit: 'ms',
    }),
    atMost(`\`import 'pegboard'\` adds at most 15 ms to bare Node's start`, addedBy(OURS), { limit: 15, unit: 'ms' }),
  ],
});

function timeStart(name: string): number {
  const start = performance.now();
  runProgram(name, []);
  return performance.now() - start;
}

/** The address of every module that a program loads. */
function findModules(name: string): string[] {
  const lines = runProgram(name, ['--import', './log-loads.ts']).split('\n');
  return lines.filter((line) => line !== '');
}

function toPackages(urls: readonly string[]): string[] {
  return [...new Set(urls.flatMap((url) => packageOf(url) ?? []))].toSorted();
}

function originOf(url: string): string {
  return packageOf(url) ?? (url.startsWith('node:') ? 'Node' : 'Pegboard');
}

function packageOf(url: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
}

function runProgram(name: string, flags: readonly string[]): string {
  const code = PROGRAMS[name] ?? '';
  return execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', code], {
    cwd: HERE,
    encoding: 'utf8',
  });
}

function addedBy(name: string): number {
  return differenceOf(timings, name, BARE);
}
