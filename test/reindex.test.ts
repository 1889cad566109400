// Collections are built beside the one in use: killed, stopped, with others that search and store meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteStore } from '../src/knowledge/stores/sqlite/sqlite-store.ts';
import { openKnowledge } from '../src/rag.ts';
import { createTestEmbedder } from '../src/vectors/test-embedder.ts';
import { CLI } from './cli-program.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const FILES = 120;
let folder: string;
let model: EmbeddingServer;

/** A model that answers until it was asked for so many texts, then keeps its callers waiting until it is let go on. */
class EmbeddingServer {
  readonly #server: Server;
  readonly #embedder = createTestEmbedder();
  readonly #waiting: (() => void)[] = [];
  #left = Infinity;
  #refuses = false;
  #onHeld: () => void = () => {};

  constructor() {
    this.#server = createServer((request, response) => {
      void readJson(request).then(async (body) => {
        // The request is that of the embedder under test.
        const { input } = body as { input: string[] };
        this.#left -= input.length;
        if (this.#left < 0 && this.#refuses) return void response.writeHead(400).end('{"error":"no more money"}');
        if (this.#left < 0) await this.#hold();
        const vectors = await this.#embedder.embed(input);
        const data = vectors.map((vector, index) => ({ index, embedding: Array.from(vector) }));
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
      });
    });
  }

  #hold(): Promise<void> {
    this.#onHeld();
    return new Promise((settle) => this.#waiting.push(settle));
  }

  async listen(): Promise<string> {
    await new Promise<void>((settle) => this.#server.listen(0, '127.0.0.1', settle));
    // A server that listens on a port has such an address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Resolves when more than so many texts were asked for. */
  holdAfter(texts: number): Promise<void> {
    this.#left = texts;
    return new Promise((settle) => (this.#onHeld = settle));
  }

  /** Refuses what comes after so many texts. */
  refuseAfter(texts: number): void {
    this.#left = texts;
    this.#refuses = true;
  }

  goOn(): void {
    this.#refuses = false;
    this.#left = Infinity;
    for (const settle of this.#waiting.splice(0)) settle();
  }

  async close(): Promise<void> {
    this.goOn();
    this.#server.closeAllConnections();
    await new Promise((settle) => this.#server.close(settle));
  }
}

let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-reindex-'));
  model = new EmbeddingServer();
  url = await model.listen();
  mkdirSync(join(folder, 'docs'));
  for (let n = 0; n < FILES; n++) writeFileSync(join(folder, `docs/${n}.md`), `# Number ${n}\n\nCommon word${n}.\n`);
});
afterEach(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The model's name decides whether a collection has to be built anew. */
function configure(name: string | undefined): void {
  const vectorizer = name === undefined ? 'none' : `own, url: "${url}", model: ${name}`;
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `rag: { vectorizer: { platform: ${vectorizer} }, collections: { docs: {} } }\n`,
  );
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function start(...args: readonly string[]): Started {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  const child = spawn(process.execPath, [CLI, 'rag', ...args], { cwd: folder, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end();
  return { child, ended: new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr }))) };
}

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await start(...args, '--json').ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Waits until another process has written the first documents of a collection. */
async function written(collection: string): Promise<void> {
  const store = openSqliteStore({ file: join(dataOf(folder), 'knowledge.db') });
  const count = async (): Promise<number> => (await store.stats(collection).catch(() => ({ documents: 0 }))).documents;
  while ((await count()) === 0) await wait(5);
  await store.close();
}

it('leaves the collection as it was after kill -9 in the middle, and goes on from there', async () => {
  configure(undefined);
  await json('index', 'docs');
  await json('store', 'A note about common things');
  configure('first');
  const held = model.holdAfter(60);
  const reindex = start('reindex');
  await held;
  await written('docs.next');
  reindex.child.kill('SIGKILL');
  await reindex.ended;
  model.goOn();
  // The old collection has everything, and is searched with the note that it has no vectors yet.
  const found = await json('search', 'common', '--limit', '50');
  expect(found).toMatchObject({ mode: 'words' });
  expect(found['results']).toHaveLength(50);
  expect(await json('status')).toMatchObject({
    collections: [{ documents: FILES + 1, embedder: null, unfinished: expect.any(Number) }],
  });

  const again = await start('reindex').ended;
  expect(again.code).toBe(0);
  const built = /^Continuing an interrupted reindex: (\d+) documents built so far\.$/m.exec(again.stderr)?.[1];
  expect(Number(built)).toBeGreaterThan(0);
  expect(Number(built)).toBeLessThan(FILES);
  expect(again.stdout).toMatch(new RegExp(`^docs: ${FILES - Number(built)} documents indexed .*, ${built} unchanged`));
  expect(await json('status')).toMatchObject({
    collections: [{ documents: FILES + 1, embedder: 'own:first', problem: null, unfinished: null }],
  });
  const word = await json('search', 'word7', '--limit', '1');
  expect(word).toMatchObject({ mode: 'hybrid', results: [{ sourcePath: 'docs/7.md' }] });
});

it('says what remains when it is stopped, and keeps what a first run has written', async () => {
  configure('first');
  const held = model.holdAfter(60);
  const index = start('index', 'docs');
  await held;
  await written('docs');
  index.child.kill('SIGINT');
  const stopped = await index.ended;
  model.goOn();
  const remaining = /^stopped (\d+) of 120 files remain\. Run the command again to continue\.$/m.exec(
    stopped.stderr,
  )?.[1];
  expect([stopped.code, Number(remaining)]).toEqual([130, expect.any(Number)]);
  const { collections } = await json('status');
  expect(collections).toMatchObject([{ documents: FILES - Number(remaining) }]);
  expect(Number(remaining)).toBeLessThan(FILES);
  expect(await json('index')).toMatchObject({ indexed: Number(remaining), unchanged: FILES - Number(remaining) });

  configure('second');
  const heldAgain = model.holdAfter(60);
  const reindex = start('reindex');
  await heldAgain;
  reindex.child.kill('SIGINT');
  expect(await reindex.ended).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(
      /^stopped \d+ of 120 files remain\. Searches still use the old collection\. Run the command again/m,
    ),
  });
  model.goOn();
  expect(await json('status')).toMatchObject({ collections: [{ documents: FILES, embedder: 'own:first' }] });
});

it('loses no note and no search while one process reindexes, another searches and a third stores', async () => {
  configure(undefined);
  await json('index', 'docs');
  const knowledge = openKnowledge({ data: dataOf(folder), base: folder, collections: { docs: {} } });
  const here = knowledge.collection('docs');
  const reindex = start('reindex', '--json');
  const storing = start('store', 'A note from another process');
  const finished = reindex.ended.then(() => true);
  const notes: string[] = [];
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([finished, new Promise<false>((settle) => void setImmediate(settle, false))]);
    const { hits } = await here.search('word5 common', { limit: 1 });
    expect(hits[0]?.sourcePath).toBe('docs/5.md');
    const content = `Remembered number${notes.length}`;
    await here.store({ content });
    notes.push(content);
  }
  expect(await reindex.ended).toMatchObject({ code: 0 });
  expect(await storing.ended).toMatchObject({ code: 0 });
  expect(await here.stats()).toMatchObject({ documents: FILES + notes.length + 1 });
  for (const [n, content] of notes.entries()) {
    expect((await here.search(`number${n}`, { limit: 1 })).hits[0]?.text).toBe(content);
  }
  await knowledge.close();
});

it('follows the files that changed while it was at work, and what another run indexed', async () => {
  configure('first');
  await json('index', 'docs');
  configure('second');
  const held = model.holdAfter(100);
  const reindex = start('reindex', '--json');
  await held;
  writeFileSync(join(folder, 'docs/0.md'), '# Number 0\n\nCommon but newer.\n');
  rmSync(join(folder, 'docs/1.md'));
  model.goOn();
  expect(await reindex.ended).toMatchObject({ code: 0, stderr: '' });
  const results = await json('search', 'newer', '--limit', '1');
  expect(results).toMatchObject({ results: [{ sourcePath: 'docs/0.md', text: expect.stringContaining('newer') }] });
  expect(await json('status')).toMatchObject({ collections: [{ documents: FILES - 1, embedder: 'own:second' }] });
});

it('says what remains when the model fails, too, and goes on from there', async () => {
  configure('first');
  model.refuseAfter(70);
  const failed = await start('index', 'docs').ended;
  model.goOn();
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('no more money') });
  const remaining = Number(/^stopped (\d+) of 120 files remain\. Run the command again/m.exec(failed.stderr)?.[1]);
  const { collections } = await json('status');
  expect(collections).toMatchObject([{ documents: FILES - remaining, stale: { changed: [], removed: [] } }]);
  expect((collections as { stale: { added: string[] } }[])[0]?.stale.added).toHaveLength(remaining);
  expect(await json('index')).toMatchObject({ indexed: remaining, unchanged: FILES - remaining });
});

it('begins nothing for a path that is not there', async () => {
  configure(undefined);
  await json('index', 'docs');
  expect(await start('reindex', 'nowhere').ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"nowhere" is not there'),
  });
  expect(await json('status')).toMatchObject({ collections: [{ documents: FILES, unfinished: null }] });
});

it('lets only one of two reindexes at once finish, and loses nothing', async () => {
  configure(undefined);
  await json('index', 'docs');
  await json('store', 'A note');
  const outcomes = await Promise.all([start('reindex').ended, start('reindex').ended]);
  for (const { code, stderr } of outcomes) {
    expect(code === 0 ? '' : stderr).toMatch(/^$|Another process rebuilt the collection "docs"/);
  }
  expect(outcomes.map(({ code }) => code)).toContain(0);
  expect(await json('status')).toMatchObject({ collections: [{ documents: FILES + 1, problem: null }] });
});
