// Pages and repositories in collections, from the command line: config, processes side by side, kill -9, reindex, status.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { openKnowledge } from '../src/rag.ts';
import { startServer } from '../src/platform/http/loopback-server.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-sources-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Outcome> } {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
    DOCS_TOKEN: 'hunter2',
  };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return { child, ended: new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr }))) };
}

const rag = (...args: string[]): Promise<Outcome> => start(['rag', ...args]).ended;

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await rag(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function configure(sources: readonly Readonly<Record<string, unknown>>[]): void {
  const tool = { name: 'docs', type: 'rag', description: 'The docs', collection: 'docs' };
  write('pegboard.yaml', JSON.stringify({ tools: [tool], rag: { collections: { docs: { sources } } } }));
}

it('indexes the sources of a config beside files, anew and side by side, and status asks none of them', async () => {
  const PAGES = 40;
  let isUp = true;
  let onPage: (page: number) => void = () => {};
  const server = await startServer(({ target, headers }, response) => {
    const number = Number(/^\/guide\/(\d*)$/.exec(target)?.[1] ?? Number.NaN);
    if (!isUp) return void response.writeHead(500).end();
    if (Number.isNaN(number) || headers.authorization !== 'Bearer hunter2') return void response.writeHead(404).end();
    onPage(number);
    const links = Array.from({ length: PAGES }, (_, n) => `<a href="/guide/${n + 1}">${n + 1}</a>`).join('');
    const text =
      target === '/guide/' ? `<h1>Guide</h1>${links}` : `<h1>Page ${number}</h1><p>walrus${number} lives.</p>`;
    response.writeHead(200, { 'content-type': 'text/html', etag: `"${number}"` }).end(text);
  });
  const site = {
    url: `${server.origin}/guide/`,
    depth: 1,
    headers: { authorization: 'Bearer ${DOCS_TOKEN}' },
    allow_hosts: [`127.0.0.1:${server.port}`],
  };
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: join(folder, 'handbook'),
    });
  write('handbook/rules.md', '# Rules\n\nOtters hold hands.\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=first');
  configure([site, { git: 'handbook', ref: 'main' }]);
  write('guide/local.md', 'Local badgers.\n');

  // Killed in the middle, it goes on with what it has.
  const half = Promise.withResolvers<void>();
  onPage = (number) => {
    if (number === PAGES / 2) half.resolve();
  };
  const first = start(['rag', 'index']);
  await half.promise;
  first.child.kill('SIGKILL');
  await first.ended;
  onPage = () => {};
  expect(await json('index', 'guide')).toMatchObject({ indexed: 1 });
  const both = await Promise.all([json('index'), json('index')]);
  for (const report of both) expect(report).toMatchObject({ removed: 0, failures: [] });
  expect(await json('index')).toMatchObject({ indexed: 0, unchanged: PAGES + 3, removed: 0, failures: [] });

  const knowledge = openKnowledge({ data: dataOf(folder), base: folder, collections: { docs: {} } });
  onTestFinished(() => knowledge.close());
  const found = async (words: string): Promise<unknown[]> => {
    const { hits } = await knowledge.collection('docs').search(words, { limit: 1 });
    return hits.map(({ sourcePath }) => sourcePath);
  };
  expect(await found('walrus17')).toEqual([`${server.origin}/guide/17`]);
  const called = await start(['call', 'docs-search', 'query=walrus17', '--json']).ended;
  expect(called.stdout).toContain(`"url": "${server.origin}/guide/17#:~:text=Page%2017"`);
  expect(await found('otters')).toEqual(['git+file://handbook@main/rules.md']);
  expect(await found('badgers')).toEqual(['guide/local.md']);

  // Status asks no server, and a run of a folder that has all of them below it takes none of them away.
  const asked = server.seen.length;
  expect((await rag('status')).stderr).toBe('');
  expect(await json('index', '.')).toMatchObject({ removed: 0 });
  expect(server.seen).toHaveLength(asked);

  // Anew: all is fetched again, and stays when the host is down.
  expect(await json('reindex')).toMatchObject({ failures: [], removed: 0 });
  isUp = false;
  const down = await rag('reindex');
  expect(down.code).toBe(1);
  expect(down.stderr).toMatch(/^error http\S*\/guide\/: (?!http).*answered 500.*\. Its earlier content stays\.$/m);
  expect(down.stderr + down.stdout).not.toContain('hunter2');
  expect(await found('walrus17')).toHaveLength(1);

  configure([]);
  expect(await json('index')).toMatchObject({ removed: PAGES + 2 });
  expect(await found('badgers')).toEqual(['guide/local.md']);
});

it('says where an address belongs, and what is wrong with a source', async () => {
  configure([]);
  const { code, stderr } = await rag('index', 'https://docs.example.com/guide/');
  expect(code).toBe(2);
  expect(stderr).toContain(
    '"https://docs.example.com/guide/" is an address. Add it to the config, rag: { collections: { docs: { sources: [{ url: https://docs.example.com/guide/, depth: 1 }] } } }, then run pegboard rag index.',
  );
  configure([{ url: 'https://me:secret@docs.example.com/' }, { git: 'ext::sh' }]);
  const wrong = await rag('index');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain(
    'rag.collections.docs.sources[0].url: A name or password in the address would be stored',
  );
  expect(wrong.stderr).toContain('rag.collections.docs.sources[1].git: "ext::sh" is not a repository.');
  configure([{ url: 'https://docs.example.com/', dept: 1 }]);
  expect((await rag('index')).stderr).toContain('dept');
  configure([{ git: 'x' }]);
  expect((await rag('watch')).stderr).toContain('"docs" has no files to watch.');
});
