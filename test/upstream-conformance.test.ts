// The official conformance suite drives our client: a board with one server, as test/fixtures/mcp/conformance-client.ts opens it.
//
// Every client scenario that the two revisions require is here, and those of the extensions for authorization.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixtureFile } from './cli-program.test-helper.ts';

const SUITE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = fixtureFile('conformance-client');
/** A scenario may take long where others have the cores. */
const PATIENT = ['--timeout', '200000'];
const folder = mkdtempSync(join(tmpdir(), 'pegboard-suite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs the suite's command and waits for its end. */
function runSuite(output: string, args: readonly string[]): Promise<void> {
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    CONFORMANCE_EXITS: `${output}.exits`,
  };
  mkdirSync(env.CONFORMANCE_EXITS, { recursive: true });
  const all = ['client', ...args, '--output-dir', output, ...PATIENT, '--command', `${process.execPath} ${CLIENT}`];
  // Exits with 1 if any scenario failed; each test reads the checks of its own.
  return new Promise((resolve) => execFile(process.execPath, [SUITE, ...all], { env, cwd: folder }, () => resolve()));
}

/** Reads what one scenario of a run checked, and the exit code of its client. */
function readScenario(output: string, scenario: string): { readonly code: number; readonly checks: readonly Check[] } {
  // The suite adds the time to the name of the scenario.
  const name = readdirSync(output, { recursive: true })
    .map(String)
    .find((file) => file.endsWith('/checks.json') && isOf(dirname(file), scenario));
  if (name === undefined) throw new Error(`The suite kept no checks of ${scenario}.`);
  return {
    checks: JSON.parse(readFileSync(join(output, name), 'utf8')),
    code: Number(readFileSync(join(`${output}.exits`, scenario.replace('/', '-')), 'utf8')),
  };
}

const isOf = (directory: string, scenario: string): boolean =>
  directory.startsWith(scenario) && /^-\d{4}-\d\d-\d\dT[^/]*$/.test(directory.slice(scenario.length));

/** One process of the suite for many scenarios: it takes longer to start than most of them to run. */
const runs = new Map<string, Promise<void>>();

/** Runs one scenario, with the others of its part of the suite where it is in one, and gives what it checked. */
async function runScenario(version: string, scenario: string): Promise<ReturnType<typeof readScenario>> {
  const part = OAUTH.includes(scenario) ? 'auth' : NEWER.includes(scenario) ? 'draft' : undefined;
  // An extension is on no revision's timeline, so the suite wants to be told twice.
  if (part === undefined) return runAlone(version, scenario, EXTENSIONS.includes(scenario) ? ['--force'] : []);
  const output = join(folder, `${version}-${part}`);
  if (!runs.has(output)) runs.set(output, runSuite(output, ['--spec-version', version, '--suite', part]));
  await runs.get(output);
  return readScenario(output, scenario);
}

async function runAlone(
  version: string,
  scenario: string,
  more: readonly string[] = [],
): Promise<ReturnType<typeof readScenario>> {
  const output = join(folder, `${version}-${scenario.replace('/', '-')}`);
  await runSuite(output, ['--spec-version', version, '--scenario', scenario, ...more]);
  return readScenario(output, scenario);
}

const OAUTH = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
].map((name) => `auth/${name}`);

/** The scenarios that came with 2026-07-28. */
const NEWER = [
  'request-metadata',
  'sep-2322-client-request-state',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/authorization-server-migration',
  'auth/iss-supported',
  'auth/iss-not-advertised',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
];

/** Scenarios of extensions, which no revision requires. */
const EXTENSIONS = [
  'client-credentials-jwt',
  'client-credentials-basic',
  'dpop',
  'dpop-nonce',
  'enterprise-managed-authorization',
  'wif-jwt-bearer',
].map((name) => `auth/${name}`);

const SCENARIOS = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'json-schema-2020-12-preservation',
    ...OAUTH,
  ],
  '2026-07-28': ['tools_call', 'json-schema-2020-12-preservation', ...NEWER, ...OAUTH, ...EXTENSIONS],
} as const;

describe.concurrent('the client scenarios', () => {
  const all = Object.entries(SCENARIOS).flatMap(([version, names]) => names.map((name) => [version, name] as const));
  it.for(all)('%s %s', async ([version, scenario], { expect: check }) => {
    const { code, checks } = await runScenario(version, scenario);
    check(checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')).toEqual([]);
    check(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
    check(code).toBe(0);
  });
});

// By itself: it looks at the clock, and a busy machine makes all clients late, which is only a warning.
it('2025-11-25 sse-retry', async () => {
  const { checks } = await runAlone('2025-11-25', 'sse-retry');
  expect(checks.filter(({ status }) => status === 'FAILURE')).toEqual([]);
  expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(1);
});

it.for(['2025-11-25', '2026-07-28'] as const)('leaves out nothing that %s requires', async (version) => {
  const listing = await new Promise<string>((resolve) => {
    execFile(process.execPath, [SUITE, 'list', '--requirements', version], (_, stdout) => resolve(stdout));
  });
  const section = /Client scenarios[^\n]*\n(.*?)\n\n/s.exec(listing)?.[1] ?? '';
  const required = [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name ?? '');
  expect(required.length).toBeGreaterThan(10);
  const run = new Set<string>([...SCENARIOS[version], 'sse-retry']);
  expect(required.filter((name) => !run.has(name))).toEqual([]);
});
