// Collections from the command line: files come, change and go; runs are interrupted by force; watching.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKnowledge } from '../src/rag.ts';
import { CLI } from './cli-program.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-rag-cli-'));
  write('pegboard.yaml', 'tools: [{ name: docs, type: rag, description: The docs, collection: docs }]\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function startCommand(args: readonly string[], cwd = folder): ChildProcess {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  return spawn(process.execPath, [CLI, ...args], { cwd, env, timeout: 200_000 });
}

function start(args: readonly string[], cwd = folder): ChildProcess {
  return startCommand(['rag', ...args], cwd);
}

function run(args: readonly string[]): Promise<Outcome> {
  return outcomeOf(startCommand(args));
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr })));
}

function rag(args: readonly string[], { cwd = folder, input = '' } = {}): Promise<Outcome> {
  const child = start(args, cwd);
  child.stdin?.end(input);
  return outcomeOf(child);
}

async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await rag([...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Waits for something that another process does. */
async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await wait(5);
}

const sources = (answer: Record<string, unknown>): unknown[] =>
  (answer['results'] as { sourcePath?: string; lines?: { from: number; to: number } }[]).map(
    // The shape is the command's own, checked above by what it prints.
    ({ sourcePath, lines }) => `${sourcePath}:${lines?.from}-${lines?.to}`,
  );

describe('pegboard rag', () => {
  it('indexes, follows changes and deletions, and finds', async () => {
    write('guide/login.md', '# Login\n\nUsers log in with a passkey.\n\n## Sessions\n\nA session ends after a day.\n');
    write('guide/billing.md', '# Billing\n\nInvoices are sent monthly.\n');
    write('guide/logo.png', 'not really');
    expect(await json(['index', 'guide'])).toMatchObject({
      collection: 'docs',
      indexed: 2,
      unchanged: 0,
      removed: 0,
      skipped: [{ path: 'guide/logo.png', reason: 'is a binary file' }],
    });
    expect(sources(await json(['search', 'how do users log in']))).toEqual(['guide/login.md:1-7']);

    write('guide/login.md', '# Login\n\nUsers log in with a hardware key.\n');
    rmSync(join(folder, 'guide/billing.md'));
    const again = await rag(['index'], { cwd: join(folder, 'guide') });
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(
      /^docs: 1 document indexed \(1 chunk\), 0 unchanged, 1 removed, 1 skipped in \d+\.\d s\.\n/,
    );
    expect(sources(await json(['search', 'hardware key']))).toEqual(['guide/login.md:1-3']);
    const nothing = await rag(['search', 'invoices']);
    expect(nothing).toEqual({ code: 1, stdout: '', stderr: 'No results found for "invoices"\n' });
  });

  it('stores words, files and what is piped in; shows and clears', async () => {
    expect((await rag(['store', 'Deploy', 'on', 'Mondays', '--type', 'convention', '--tag', 'ops'])).stdout).toBe(
      'docs: stored (convention, 1 chunk).\n',
    );
    expect((await rag(['store', '-'], { input: 'Deploy on Mondays\n' })).stdout).toBe(
      'docs: updated (general, 1 chunk).\n',
    );
    write('note.txt', 'Never on Fridays');
    expect(await json(['store', '--input', 'note.txt', '--source', 'ops.md'])).toMatchObject({ outcome: 'stored' });
    expect((await rag(['search', 'mondays', '--tag', 'ops'])).stdout).toContain('Deploy on Mondays');
    expect((await rag(['status'])).stdout).toBe('docs  default (sqlite)  2 documents  2 chunks  words\n');
    const asked = await rag(['clear']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('Delete 2 documents of "docs"? There is no terminal to ask at. Add --yes.');
    expect((await rag(['clear', '--yes'])).stdout).toBe('Deleted 2 documents of "docs".\n');
    expect(await json(['status'])).toMatchObject({ collections: [{ name: 'docs', documents: 0 }] });
  });

  it('explains what it cannot do', async () => {
    const unknown = await rag(['search', 'x', '--collection', 'dcos']);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: 'error unknown collection "dcos". Did you mean "docs"? Use one of: docs.\n',
    });
    const nowhere = await rag(['index', 'nowhere']);
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain('"nowhere" is not there');
    const nothing = await rag(['index']);
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain('Nothing has been indexed into "docs" yet. Name files, folders or patterns.');
    expect((await rag(['index', '.', '--type', 'poem'])).stderr).toContain('Use one of: architecture, api');
    writeFileSync(join(folder, 'noise.bin'), new Uint8Array([0xff, 0xfe, 0x80, 0x81]));
    expect((await rag(['store', '--input', 'noise.bin'])).stderr).toBe(
      'error noise.bin is not UTF-8 text. Convert it, or index it: pegboard rag index noise.bin\n',
    );
    expect((await rag(['store', '--input', 'nowhere.md'])).stderr).toBe(
      'error nowhere.md cannot be read (ENOENT). Check the path.\n',
    );
    write('pegboard.yaml', 'rag: { collections: { a: {}, b: {} } }\n');
    expect((await rag(['search', 'x'])).stderr).toContain('--collection must be one of: a, b.');
  });

  it('shows the collections it can reach beside those it cannot', async () => {
    const away = '{ driver: qdrant, endpoint_url: "http://127.0.0.1:9" }';
    write(
      'pegboard.yaml',
      `rag: { servers: { default: { driver: sqlite }, away: ${away} }, collections: { a: {}, b: { server: away } } }\n`,
    );
    const { code, stdout, stderr } = await rag(['status']);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'a  default (sqlite)  0 documents     0 chunks  words\nb  away (qdrant)     cannot be read\n',
    });
    expect(stderr).toMatch(/^error The collection "b" cannot be reached \(server "away", qdrant\): /);
  });

  it('reads everything anew for another embedder, and keeps what was stored', async () => {
    write('guide/a.md', '# A\n\nWords about apples.\n');
    await json(['index', 'guide']);
    await json(['store', 'The cat sleeps all day']);
    const config = readFileSync(join(folder, 'pegboard.yaml'), 'utf8');
    write('pegboard.yaml', `${config}rag: { vectorizer: { platform: local } }\n`);
    expect((await rag(['search', 'apples'])).stderr).toBe(
      'note Only words were searched: the collection "docs" was created without vectors. Create them: pegboard rag reindex --collection docs\n',
    );
    expect((await rag(['index'])).stderr).toContain(
      'or rebuild the collection: pegboard rag reindex --collection docs',
    );
    expect(await json(['reindex'])).toMatchObject({ indexed: 1, removed: 0 });
    expect(await json(['status'])).toMatchObject({
      collections: [{ documents: 2, chunks: 2, embedder: 'local:all-MiniLM-L6-v2' }],
    });
    const found = await json(['search', 'a feline naps', '--limit', '1']);
    expect(found).toMatchObject({ mode: 'hybrid', notice: null, results: [{ text: 'The cat sleeps all day' }] });

    // Taken out again: words still find, everything says so, and nothing is mixed.
    write('pegboard.yaml', config);
    const why = 'the collection "docs" has vectors of local:all-MiniLM-L6-v2, and the config has no vectorizer for it.';
    const words = await json(['search', 'cat']);
    expect(words).toMatchObject({ mode: 'words', results: [{ text: 'The cat sleeps all day' }] });
    expect(words['notice']).toContain(why);
    const status = await rag(['status']);
    expect(status.stdout).toBe(
      'docs  default (sqlite)  2 documents  2 chunks  words; unused: vectors of local:all-MiniLM-L6-v2\n',
    );
    expect(status.stderr).toContain(
      `warning docs: Only its words are searched, and it accepts no new documents: ${why}`,
    );
    for (const args of [['store', 'A dog barks'], ['index']]) {
      const { code, stderr } = await rag(args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`Nothing was stored: ${why}`)]);
    }
    for (const command of ['doctor', 'validate']) {
      const { code, stdout } = await run([command]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^warning /m)]);
      expect(stdout).toContain(why);
    }
    expect(await json(['reindex'])).toMatchObject({ indexed: 1 });
    expect((await rag(['status'])).stdout).toBe('docs  default (sqlite)  2 documents  2 chunks  words\n');
  });

  it('shows what is stale: files that changed, came and went, and other settings', async () => {
    for (const name of ['a', 'b', 'c', 'd']) write(`guide/${name}.md`, `Words about ${name}pples.\n`);
    write('guide/logo.bin', '\0\0\0');
    write('guide/sub/e.md', 'Of its own.\n');
    await json(['index', 'guide']);
    await json(['index', 'guide/sub/e.md', '--type', 'api']);
    await json(['store', 'A note']);
    const nothing = { changed: [], added: [], removed: [], recut: [] };
    expect(await json(['status'])).toMatchObject({ collections: [{ stale: nothing, unfinished: null }] });
    write('guide/a.md', 'Other words.\n');
    write('guide/new.md', 'New words.\n');
    rmSync(join(folder, 'guide/b.md'));
    const stale = { changed: ['guide/a.md'], added: ['guide/new.md'], removed: ['guide/b.md'], recut: [] };
    expect(await json(['status'])).toMatchObject({ collections: [{ documents: 6, stale }] });
    expect((await rag(['status'])).stderr).toBe(
      'warning docs: Out of date: 1 file changed, 1 file new, 1 file gone (guide/a.md, guide/new.md, guide/b.md). Update with: pegboard rag index --collection docs\n',
    );
    await json(['index']);
    const config = readFileSync(join(folder, 'pegboard.yaml'), 'utf8');
    write('pegboard.yaml', `${config}rag: { transformer: { chunk_size: 400 } }\n`);
    const { collections } = await json(['status']);
    expect(collections).toMatchObject([{ stale: { added: [], removed: [] } }]);
    // A file that changed a moment ago has no stamp that would tell the settings from the content.
    const { changed, recut } = (collections as { stale: { changed: string[]; recut: string[] } }[])[0]?.stale ?? {};
    expect([...(changed ?? []), ...(recut ?? [])]).toHaveLength(5);
    await json(['index']);
    expect((await rag(['status'])).stderr).toBe('');
  });

  it('measures what is found, says why the rest is not, and fails below a minimum', async () => {
    const long = Array.from(
      { length: 12 },
      (_, n) => `## Part ${n}\n\n${`Sessions of part${n} last long. `.repeat(25)}\n\n`,
    );
    write('guide/login.md', `# Login\n\n${long.join('')}## Exit\n\nGoodbye for sessions.\n`);
    write('guide/billing.md', '# Billing\n\nInvoices are sent monthly.\n');
    for (let n = 0; n < 14; n++) write(`many/${n}.md`, `Zebras graze ${'x'.repeat(n + 1)}${n}.\n`);
    write('many/far.md', `Zebras graze ${'and other words follow here '.repeat(20)}.\n`);
    await json(['index', 'guide', 'many']);
    const queries = [
      { query: 'monthly invoices', expected: 'guide/billing.md' },
      { query: 'goodbye', expected: ['guide/login.md#exit', 'guide/login.md:25'] },
      { query: 'zebras graze', expected: 'many/far.md' },
      { query: 'invoices', expected: 'guide/biling.md' },
      { query: 'invoices monthly', expected: ['guide/billing.md'], type: 'api' },
      { query: 'monthly', groups: [['guide/login.md', 'guide/billing.md']] },
      { query: 'goodbye', expected: 'guide/login.md#Entrance' },
    ];
    write('queries.jsonl', queries.map((query) => JSON.stringify(query)).join('\n'));
    const { code, stdout, stderr } = await rag(['eval', 'queries.jsonl', '--min', 'recall@10=0.9', '--min', 'mrr=0.1']);
    expect(stderr).toMatch(/^error recall@10 is 0\.\d+, less than 0\.900\.\n$/);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^7 queries, 17 documents\nrecall@1 /);
    expect(stdout.match(/^ {2}why .*$/gm)?.map((line) => line.slice(12))).toEqual([
      expect.stringMatching(/^another passage of guide\/login\.md is at place 1 \(guide\/login\.md:\d+\)$/),
      expect.stringMatching(/^ranked too low: place 15, behind many\/\d+\.md:1$/),
      'not indexed: the collection has no document guide/biling.md; did you mean guide/billing.md?',
      'filtered: guide/billing.md does not match {"type":"api"}',
      expect.stringMatching(
        /^no passage of guide\/login\.md is at guide\/login\.md#Entrance; another passage of guide\/login\.md is at place 1/,
      ),
    ]);
    const evaluated = await json(['eval', 'queries.jsonl']);
    expect(evaluated).toMatchObject({ ok: true, queries: 7, documents: 17, measures: { mrr: expect.any(Number) } });
    write('bad.jsonl', '{"query":"x","expected":[]}');
    expect((await rag(['eval', 'bad.jsonl'])).stderr).toContain('bad.jsonl:1: expects no passage.');
    expect((await rag(['eval', 'queries.jsonl', '--min', 'luck=1'])).stderr).toContain('--min has no measure "luck"');
  });

  it('forgets a folder that is gone and goes on with the others', async () => {
    write('a/x.md', 'apples');
    write('b/y.md', 'bananas');
    write('c [old]/{z}/w*.md', 'cherries');
    await json(['index', 'c [old]']);
    rmSync(join(folder, 'c [old]'), { recursive: true });
    expect(await json(['index', 'c [old]'])).toMatchObject({ removed: 1 });
    await json(['clear', '--yes']);
    await json(['index', 'b']);
    await json(['index', 'a']);
    rmSync(join(folder, 'b'), { recursive: true });
    write('a/x.md', 'avocados');
    const gone = { skipped: [{ path: 'b', reason: 'no longer exists' }] };
    expect(await json(['index'])).toMatchObject({ indexed: 1, removed: 1, ...gone });
    expect(await json(['index'])).toMatchObject({ unchanged: 1, removed: 0, ...gone });
    write('b/y.md', 'blueberries');
    expect(await json(['index'])).toMatchObject({ indexed: 1, unchanged: 1, skipped: [] });
    expect((await rag(['index', ''])).stderr).toContain('A path is empty. Name a file, a folder');
  });

  it('leaves files that several runs are about to the last of them', async () => {
    write('guide/a.md', 'apples');
    write('guide/api/b.md', 'bananas');
    write('guide/drafts/c.md', 'cherries');
    await json(['index', 'guide']);
    expect(await json(['index', 'guide/api', '--type', 'api'])).toMatchObject({ indexed: 1, removed: 0 });
    // Two of them are the first run's, and one of those it does not want.
    expect(await json(['index', 'guide/**/*.md', '--exclude', 'guide/drafts', '--type', 'tutorial'])).toMatchObject({
      indexed: 2,
      removed: 0,
    });
    for (let n = 0; n < 2; n++) {
      expect(await json(['index'])).toMatchObject({ indexed: 0, unchanged: 3, removed: 0, skipped: [] });
    }
    expect(sources(await json(['search', 'cherries', '--type', 'general']))).toEqual(['guide/drafts/c.md:1-1']);
    expect(sources(await json(['search', 'bananas', '--type', 'tutorial']))).toEqual(['guide/api/b.md:1-1']);
    rmSync(join(folder, 'guide/api/b.md'));
    write('guide/.gitignore', 'a.md\n');
    expect(await json(['index'])).toMatchObject({ unchanged: 1, removed: 2 });
  });

  it('leaves out what patterns say, from where they were typed', async () => {
    for (const name of ['kept.md', 'drafts/left.md', 'notes/kept.md', 'notes/drafts/left.md'])
      write(`guide/${name}`, 'x');
    const { stdout } = await rag(['index', '.', '--exclude', 'drafts/*.md', '--exclude', 'notes/drafts/**', '--json'], {
      cwd: join(folder, 'guide'),
    });
    expect(JSON.parse(stdout)).toMatchObject({ indexed: 2 });
  });

  it('keeps types and tags of what code indexed', async () => {
    write('guide/a.md', 'apples');
    write('guide/b.md', 'bananas');
    const knowledge = openKnowledge({ data: dataOf(folder), base: folder, collections: { docs: {} } });
    await knowledge.collection('docs').index(['guide/a.md'], { cwd: folder, type: 'api', tags: ['fruit'] });
    await knowledge.collection('docs').index(['guide/b.md'], { cwd: folder });
    await knowledge.close();
    expect(await json(['index'])).toMatchObject({ indexed: 0, unchanged: 2 });
    expect(await json(['search', 'apples', '--type', 'api'])).toMatchObject({ results: [{ tags: ['fruit'] }] });
  });

  it('goes on after kill -9, with every document whole', async () => {
    const count = 1200;
    for (let n = 0; n < count; n++) {
      write(`many/${n}.md`, `# Document ${n}\n\n${`Paragraph of number${n} with some words.\n\n`.repeat(40)}`);
    }
    const child = start(['index', 'many']);
    const ended = outcomeOf(child);
    const knowledge = openKnowledge({ data: dataOf(folder), base: folder, collections: { docs: {} } });
    const docs = knowledge.collection('docs');
    await until(async () => (await docs.stats()).documents > 0);
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    const { documents, chunks } = await docs.stats();
    expect(documents).toBeGreaterThan(0);
    expect(documents).toBeLessThan(count);
    expect(chunks % documents).toBe(0);

    const rest = await json(['index', 'many']);
    expect(rest).toMatchObject({ files: count, unchanged: documents, indexed: count - documents, isStopped: false });
    expect(await docs.stats()).toMatchObject({ documents: count, chunks: (chunks / documents) * count });
    expect((await docs.search('number777')).hits[0]?.sourcePath).toBe('many/777.md');
    await knowledge.close();
  });

  it('stops at Ctrl-C with what it has, and says how to go on', async () => {
    for (let n = 0; n < 1200; n++) write(`many/${n}.md`, `# Document ${n}\n\n${'Some words again.\n\n'.repeat(60)}`);
    const child = start(['index', 'many']);
    const ended = outcomeOf(child);
    const knowledge = openKnowledge({ data: dataOf(folder), base: folder, collections: { docs: {} } });
    await until(async () => (await knowledge.collection('docs').stats()).documents > 0);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^stopped [\d,]+ of 1,200 files remain\. Run the command again to continue\.$/m);
    expect(await json(['index'])).toMatchObject({ files: 1200, isStopped: false });
    expect((await knowledge.collection('docs').stats()).documents).toBe(1200);
    await knowledge.close();
  });

  it('watches: what changes is found soon after', async () => {
    write('guide/a.md', 'apples');
    const child = start(['watch', 'guide']);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const closed = new Promise((settle) => child.on('close', settle));
    await until(() => stderr.includes('Watching'));
    write('guide/deep/b.md', 'bananas');
    await until(() => stdout.includes('1 document indexed (1 chunk), 1 unchanged'));
    rmSync(join(folder, 'guide/a.md'));
    await until(() => stdout.includes('1 removed'));
    // The whole folder goes, as when a branch is changed, and comes back as another one.
    renameSync(join(folder, 'guide'), join(folder, 'aside'));
    await until(() => stdout.includes('skipped guide: no longer exists'));
    renameSync(join(folder, 'aside'), join(folder, 'guide'));
    const times = (text: string): number => stdout.split(text).length - 1;
    await until(() => times('1 document indexed (1 chunk), 0 unchanged') === 2);
    write('guide/deep/c.md', 'cherries');
    await until(() => times('1 document indexed (1 chunk), 1 unchanged') === 2);
    child.kill('SIGINT');
    expect(await closed).toBe(130);
    expect(sources(await json(['search', 'bananas']))).toEqual(['guide/deep/b.md:1-1']);
  });
});
