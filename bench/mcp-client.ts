// Our MCP client against the official one, over HTTP: conformance, behaviours, size, time per call, start.
//
// node bench/run.ts mcp-client, or this file by itself; --quick leaves out the conformance suite.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import type { Caller, Target } from './mcp-client/caller.ts';
import { measureInstalled, measureLoads } from './mcp-client/measure-size.ts';
import { runConformance } from './mcp-client/run-conformance.ts';
import { startServer } from './mcp-client/start-server.ts';
import { tryBehaviours } from './mcp-client/try-behaviours.ts';
import { formatFigure, publish, type Table } from './report.ts';
import { measureInRounds, medianOf, ratioOf } from './rounds.ts';

type Connect = (target: Target) => Promise<Caller>;

const ROUNDS = 40;
const CALLS = 60;
const WARM_UP = 400;
const START_ROUNDS = 15;
const MAX_FRAME = 64 * 1024 * 1024;
const BARE = 'undici.request';
const OURS = 'Pegboard';
const OFFICIAL = 'official, unguarded';
const GUARDED = "official, on the board's guarded connections";
const NODE = 'bare Node';
const PACKAGE = '@modelcontextprotocol/client';

const here = (...path: readonly string[]): string => join(import.meta.dirname, ...path);
// Beside the packages, so that what is built finds them as a user's installation does.
const built = here('../node_modules/.cache/pegboard-mcp-client');

await build();
const [bare, ours, official] = await Promise.all(['bare', 'our', 'official'].map(load));
const clients: Readonly<Record<string, Connect>> = {
  [BARE]: pick(bare, 'connect'),
  [OURS]: pick(ours, 'connect'),
  [OFFICIAL]: pick(official, 'connect'),
  [GUARDED]: pick(official, 'connectGuarded'),
};

const tables = [await compareBehaviours(), compareSize(), await compareCalls(), await compareStart()];
if (!process.argv.includes('--quick')) tables.unshift(await compareConformance());
rmSync(built, { recursive: true, force: true });
publish({ name: 'mcp-client', tables, bars: [] });

/** Builds each caller as the package is built: our own code in one file, packages beside it. */
async function build(): Promise<void> {
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  for (const name of ['bare', 'our', 'official']) {
    const bundle = await rolldown({
      input: here('mcp-client', `${name}-caller.ts`),
      platform: 'node',
      external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    });
    await bundle.write({ dir: join(built, name), format: 'esm', entryFileNames: 'index.mjs' });
    await bundle.close();
  }
}

function fileOf(name: string): string {
  return pathToFileURL(join(built, name, 'index.mjs')).href;
}

async function load(name: string): Promise<Readonly<Record<string, Connect>>> {
  // The bundles built above export nothing else.
  return (await import(fileOf(name))) as Readonly<Record<string, Connect>>;
}

function pick(module: Readonly<Record<string, Connect>> | undefined, name: string): Connect {
  const connect = module?.[name];
  if (connect === undefined) throw new Error(`A caller does not export "${name}".`);
  return connect;
}

async function compareConformance(): Promise<Table> {
  const outcomes = await runConformance({
    [OURS]: here('../test/fixtures/mcp/conformance-client.ts'),
    official: here('mcp-client/official-conformance.ts'),
  });
  return {
    caption: 'The client scenarios that MCP 2025-11-25 and 2026-07-28 require:',
    head: ['Client', 'scenarios', 'without a failure', 'checks passed', 'failed'],
    rows: [...outcomes].map(([name, list]) => [
      name,
      String(list.length),
      String(list.filter(({ passed, failed }) => passed > 0 && failed.length === 0).length),
      String(list.reduce((sum, { passed }) => sum + passed, 0)),
      list
        .filter(({ passed, failed }) => passed === 0 || failed.length > 0)
        .map(({ scenario, failed }) => `${scenario} (${failed.join('; ')})`)
        .join(', ') || 'none',
    ]),
  };
}

async function compareBehaviours(): Promise<Table> {
  const compared = [OURS, GUARDED];
  const rows = await tryBehaviours(Object.fromEntries(compared.map((name) => [name, clients[name] ?? pick(ours, '')])));
  return { caption: 'Behaviours that a board needs, tried:', head: ['Behaviour', OURS, 'official'], rows };
}

function compareSize(): Table {
  const kilobytes = (bytes: number): string => formatFigure(bytes / 1024);
  const row = (name: string, code: string, brings: readonly string[]): string[] => {
    const loads = measureLoads(code);
    const installed = new Map(brings.flatMap((brought) => [...measureInstalled(brought)]));
    const bytes = [...installed.values()].reduce((sum, size) => sum + size, 0);
    return [name, String(loads.files), kilobytes(loads.bytes), String(installed.size), kilobytes(bytes)];
  };
  return {
    caption: 'Loaded from disk by an import, and packages that come with it:',
    head: ['Import', 'files', 'kB', 'packages installed', 'kB installed'],
    rows: [
      row(OURS, `import '${fileOf('our')}';`, []),
      row('Pegboard, with the first connection (undici)', `import '${fileOf('our')}'; import 'undici';`, ['undici']),
      row('official', `import '${PACKAGE}';`, [PACKAGE]),
      row('official, with undici for the guard', `import '${PACKAGE}'; import 'undici';`, [PACKAGE, 'undici']),
    ],
  };
}

async function compareCalls(): Promise<Table> {
  const server = await startServer();
  const rows: string[][] = [];
  for (const [path, label] of [
    ['json', '2025-11-25, JSON'],
    ['sse', '2025-11-25, event stream'],
    ['modern', '2026-07-28, JSON'],
  ] as const) {
    const target = {
      url: `${server.url}/${path}`,
      era: path === 'modern' ? 'modern' : 'legacy',
      maxFrame: MAX_FRAME,
    } as const;
    const callers = await Promise.all(
      Object.entries(clients).map(async ([name, connect]) => [name, await connect(target)] as const),
    );
    for (const [, caller] of callers) for (let call = 0; call < WARM_UP; call++) await caller.call({ a: 2, b: 3 });
    const timings = await measureInRounds(
      callers.map(([name, caller]) => ({ name, measure: () => medianCall(caller) })),
      ROUNDS,
    );
    for (const [, caller] of callers) await caller.close();
    for (const [name] of callers) {
      const times = [formatFigure(medianOf(timings, name)), ratioOf(timings, name, BARE).toFixed(2)];
      rows.push([`${label}: ${name}`, ...times, ratioOf(timings, name, OURS).toFixed(2)]);
    }
  }
  server.stop();
  return { caption: 'One call, p50:', head: ['Answer and client', 'µs', `× ${BARE}`, `× ${OURS}`], rows };
}

async function medianCall(caller: Caller): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const started = performance.now();
    if ((await caller.call({ a: 2, b: 3 })) !== '5') throw new Error('A wrong answer.');
    times.push((performance.now() - started) * 1000);
  }
  return times.toSorted((a, b) => a - b)[CALLS >> 1] ?? 0;
}

async function compareStart(): Promise<Table> {
  const server = await startServer();
  const target = JSON.stringify({ url: `${server.url}/json`, era: 'legacy', maxFrame: MAX_FRAME });
  const program = (name: string, connect: string): string => `
    const { ${connect} } = await import('${fileOf(name)}');
    const caller = await ${connect}(${target});
    if (await caller.call({ a: 2, b: 3 }) !== '5') throw new Error('A wrong answer.');
    process.exit(0);`;
  const programs: Readonly<Record<string, string>> = {
    [NODE]: '',
    [BARE]: program('bare', 'connect'),
    [OURS]: program('our', 'connect'),
    [OFFICIAL]: program('official', 'connect'),
    [GUARDED]: program('official', 'connectGuarded'),
  };
  const timings = await measureInRounds(
    Object.entries(programs).map(([name, code]) => ({ name, measure: () => timeProgram(code) })),
    START_ROUNDS,
  );
  server.stop();
  return {
    caption: 'A Node process that imports the client, connects, lists tools and makes one call:',
    head: ['Client', 'ms', `× ${NODE}`],
    rows: Object.keys(programs).map((name) => [
      name,
      formatFigure(medianOf(timings, name)),
      ratioOf(timings, name, NODE).toFixed(2),
    ]),
  };
}

function timeProgram(code: string): number {
  const started = performance.now();
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: import.meta.dirname });
  return performance.now() - started;
}
