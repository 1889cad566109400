import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const VERSIONS = ['2025-11-25', '2026-07-28'];
/** An extension, which no revision requires and which boards offer. */
const EXTENSIONS = ['auth/client-credentials-jwt', 'auth/client-credentials-basic'];
const AT_ONCE = 2;

/** The outcome of one scenario for a client. */
export interface ScenarioOutcome {
  readonly scenario: string;
  readonly passed: number;
  /** The checks that failed. */
  readonly failed: readonly string[];
}

/** Runs every client scenario that the two revisions require, for each client in turn. */
export async function runConformance(
  clients: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, readonly ScenarioOutcome[]>> {
  const names = (await Promise.all(VERSIONS.map(listRequired))).flat();
  const outcomes = new Map(Object.keys(clients).map((name) => [name, new Array<ScenarioOutcome>()]));
  const waiting = names.flatMap((work) => Object.entries(clients).map(([name, script]) => ({ work, name, script })));
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      outcomes.get(next.name)?.push(await runScenario(next.work, next.script));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

interface Work {
  readonly version: string;
  readonly scenario: string;
}

async function listRequired(version: string): Promise<Work[]> {
  const listing = await run(['list', '--requirements', version]);
  const section = /Client scenarios[^\n]*\n(.*?)\n\n/s.exec(listing.text)?.[1] ?? '';
  const names = [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name ?? '');
  return [...names, ...(version === VERSIONS[1] ? EXTENSIONS : [])].map((scenario) => ({ version, scenario }));
}

async function runScenario({ version, scenario }: Work, script: string): Promise<ScenarioOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-suite-'));
  try {
    const force = EXTENSIONS.includes(scenario) ? ['--force'] : [];
    const args = ['client', '--spec-version', version, '--scenario', scenario, '--output-dir', folder, ...force];
    const { text } = await run([...args, '--timeout', '120000', '--command', `${process.execPath} ${script}`]);
    const file = readdirSync(folder, { recursive: true })
      .map(String)
      .find((name) => name.endsWith('checks.json'));
    const name = `${version} ${scenario}`;
    if (file === undefined) return { scenario: name, passed: 0, failed: [`no checks: ${text.slice(-300)}`] };
    const checks = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly {
      readonly id: string;
      readonly status: string;
      readonly errorMessage?: string;
    }[];
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    return {
      scenario: name,
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
      failed: failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`.slice(0, 160)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args: readonly string[]): Promise<{ readonly text: string }> {
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  return new Promise((resolve) => {
    execFile(process.execPath, [SUITE, ...args], { env, cwd: tmpdir(), maxBuffer: 2 ** 26 }, (_, out, err) =>
      resolve({ text: out + err }),
    );
  });
}
