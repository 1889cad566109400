// The official conformance suite drives our client: a board with one server, as test/fixtures/mcp/conformance-client.ts opens it.
//
// Every client scenario that the two revisions require is here, and those of the extensions for authorization.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const SUITE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = join(import.meta.dirname, 'fixtures/mcp/conformance-client.ts');
/** A scenario may take long where others have the cores. */
const PATIENT = ['--timeout', '200000'];
const folder = mkdtempSync(join(tmpdir(), 'pegboard-suite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs one scenario and gives what it checked. */
async function runScenario(
  version: string,
  scenario: string,
): Promise<{ readonly code: number; readonly checks: readonly Check[] }> {
  const output = join(folder, `${version}-${scenario.replace('/', '-')}`);
  // An extension is on no revision's timeline, so the suite wants to be told twice.
  const force = EXTENSIONS.includes(scenario) ? ['--force'] : [];
  const args = [
    'client',
    '--spec-version',
    version,
    '--scenario',
    scenario,
    '--output-dir',
    output,
    ...PATIENT,
    ...force,
  ];
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  const code = await new Promise<number>((resolve) => {
    execFile(
      process.execPath,
      [SUITE, ...args, '--command', `${process.execPath} ${CLIENT}`],
      { env, cwd: folder },
      (error) => resolve(error === null ? 0 : 1),
    );
  });
  const file = readdirSync(output, { recursive: true })
    .map(String)
    .find((name) => name.endsWith('checks.json'));
  return { code, checks: JSON.parse(readFileSync(join(output, file ?? ''), 'utf8')) };
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

const NEWER_OAUTH = [
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
].map((name) => `auth/${name}`);

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
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
    ...OAUTH,
    ...NEWER_OAUTH,
    ...EXTENSIONS,
  ],
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
  const { checks } = await runScenario('2025-11-25', 'sse-retry');
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
