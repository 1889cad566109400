// The official conformance suite against a board file that `pegboard serve` serves: what each revision requires, and what it reports.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServe, waitForText } from './serve-process.test-helper.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
let server: ChildProcess;
let url = '';

beforeAll(async () => {
  const extra = join(folder, 'extra.json');
  writeFileSync(extra, JSON.stringify({ name: 'extra', tools: [], prompts: [] }));
  server = startServe(['--http', '--no-token', '--port', '0', '--watch'], {
    cwd: join(import.meta.dirname, '../fixtures/conformance'),
    env: { ...process.env, CONFORMANCE_EXTRA: extra, PEGBOARD_DATA: join(folder, 'data') },
  });
  const told = await waitForText(server.stderr, /http:\/\/[^\s,]+/);
  url = /http:\/\/[^\s,]+/.exec(told)?.[0] ?? '';
});
afterAll(() => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
}

async function run(revision: string): Promise<{ code: unknown; outcomes: Outcome[] }> {
  const args = [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const [code] = await once(child, 'close');
  const summary = text.slice(text.indexOf('=== SUMMARY ==='));
  const lines = [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)];
  const outcomes = lines.map(([, scenario = '', passed, failed]) => ({
    scenario,
    passed: Number(passed),
    failed: Number(failed),
  }));
  return { code, outcomes };
}

function requiredBy(revision: string): string[] {
  // The suite's own list of what a revision requires.
  const { server: names } = load(readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8')) as {
    server: string[];
  };
  return names;
}

it.for([
  { revision: '2025-11-25', scenarios: 30, checks: 69, silent: ['server-sse-polling'] },
  { revision: '2026-07-28', scenarios: 37, checks: 120, silent: ['tasks-status-notifications'] },
])(
  'every scenario of $revision passes, and each has checked something',
  { timeout: 600_000, retry: 4 },
  async ({ revision, scenarios, checks, silent }) => {
    const { code, outcomes } = await run(revision);
    const required = requiredBy(revision);
    expect(required).toHaveLength(scenarios);
    const scored = outcomes.filter(({ scenario }) => required.includes(scenario));
    expect(scored.map(({ scenario }) => scenario).toSorted()).toEqual(required.toSorted());
    expect(outcomes.filter(({ failed }) => failed > 0)).toEqual([]);
    expect(scored.filter(({ passed }) => passed === 0)).toEqual([]);
    expect(scored.reduce((sum, { passed }) => sum + passed, 0)).toBe(checks);
    // Optional and pending scenarios pass too; these two have nothing to check on this server, or on any.
    const idle = outcomes.filter(({ passed }) => passed === 0).map(({ scenario }) => scenario);
    expect(idle).toEqual(silent);
    expect(code).toBe(0);
  },
);
