// A registry of npm on this machine, and packages with small MCP servers: installing is real, and needs no network.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A server with one tool, which tells how it was started. */
const SERVER = `#!/usr/bin/env node
const { version, toolText = 'Show the desk' } = require('./package.json');
const tool = { name: 'show', description: toolText, inputSchema: { type: 'object' } };
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'desk', version },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => {
    const { argv, pid, env, execPath } = process;
    const said = { version, file: __filename, args: argv.slice(2), pid, path: env.PATH, node: execPath };
    return { content: [{ type: 'text', text: JSON.stringify(said) }] };
  },
};
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const rest = answer ? { result: answer() } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\\n');
});
`;

/** The answer of the tool of such a server. */
export interface Said {
  readonly version: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly pid: number;
  readonly path: string;
  readonly node: string;
}

interface Published {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Buffer;
}

export interface NpmRegistry {
  readonly url: string;
  /** A folder for the caches of npm and npx. */
  readonly cache: string;
  /** The variables with which npm uses both. */
  readonly env: Readonly<Record<string, string>>;
  /** The paths that were asked for. */
  readonly requests: readonly string[];
  /** Publishes a package with a server, also in place of one with this version. */
  publish(name: string, version: string, more?: Readonly<Record<string, unknown>>): void;
  /** Adds a hash to those that the registry gives for each archive. */
  claim(hash: string): void;
  /** Leaves requests for archives without an answer until the returned function is called. */
  hold(): () => void;
  /** The number of requests for archives. */
  downloads(): number;
  /** Runs npm in a folder. */
  npm(cwd: string, ...args: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Starts a registry; it ends with the test. */
export async function startRegistry(): Promise<NpmRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-registry-'));
  const packages = new Map<string, Map<string, Published>>();
  const requests: string[] = [];
  const claims: string[] = [];
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    const [, name = '', version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
    const versions = packages.get(name);
    if (version === undefined) return send(response, versions && describe(name, versions));
    const answer = (): void => send(response, versions?.get(version)?.tarball);
    if (isHeld) waiting.push(answer);
    else answer();
  });
  const describe = (name: string, versions: ReadonlyMap<string, Published>): object => ({
    name,
    'dist-tags': { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(
      [...versions].map(([version, { manifest, tarball }]) => {
        const own = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
        const integrity = [...claims, own].join(' ');
        return [version, { ...manifest, dist: { tarball: `${url}/${name}/-/${version}.tgz`, integrity } }];
      }),
    ),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on TCP has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  const cache = join(folder, 'cache');
  // Without a registry, npm must not try again for minutes.
  const env = { npm_config_registry: url, npm_config_cache: cache, npm_config_fetch_retries: '0' };
  return {
    url,
    cache,
    env,
    requests,
    publish(name, version, more = {}) {
      const published = pack(join(folder, 'source'), { name, version, ...more });
      packages.set(name, (packages.get(name) ?? new Map<string, Published>()).set(version, published));
    },
    claim: (hash) => void claims.push(hash),
    hold() {
      isHeld = true;
      return () => {
        isHeld = false;
        for (const answer of waiting.splice(0)) answer();
      };
    },
    downloads: () => requests.filter((path) => path.includes('/-/')).length,
    async npm(cwd, ...args) {
      const child = spawn('npm', args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
      const code = new Promise((resolve) => child.once('close', resolve));
      const said = await text(child.stderr);
      if ((await code) !== 0) throw new Error(`npm ${args.join(' ')}: ${said}`);
    },
    close,
  };
}

/** Makes the archive of a package with `npm pack`. */
function pack(folder: string, given: Readonly<Record<string, unknown>>): Published {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { bin: { 'desk-server': './server.js' }, ...given };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'server.js'), SERVER);
  const { status, stderr } = spawnSync('npm', ['pack', '--ignore-scripts', '--silent'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm pack: ${stderr}`);
  const file = `${String(given['name']).replace('@', '').replace('/', '-')}-${String(given['version'])}.tgz`;
  return { manifest, tarball: readFileSync(join(folder, file)) };
}

function send(response: ServerResponse, body: object | Buffer | undefined): void {
  response.statusCode = body === undefined ? 404 : 200;
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body ?? { error: 'not_found' }));
}
