// Files of every fate while two processes watch: in the end the collection is what the folder is.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type KnowledgeCollection, openKnowledge } from '../src/rag.ts';
import { CLI } from './cli-program.test-helper.ts';

it('follows moves, replacements and many changes at once, in two processes, and misses nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (path: string): string => join(folder, path);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const move = (from: string, to: string): void => {
    mkdirSync(dirname(at(to)), { recursive: true });
    renameSync(at(from), at(to));
  };
  write('pegboard.yaml', 'tools: [{ name: docs, type: rag, description: D, collection: docs }]\ndata: guide/data\n');
  write('guide/a/one.md', 'walrus');
  write('guide/a/deep/two.md', 'badger');
  write('outside/new/three.md', 'otter');
  write('named.md', 'version one');
  const watchers = await Promise.all([startWatch(folder), startWatch(folder)]);
  const knowledge = openKnowledge({ data: at('guide/data'), base: folder, collections: { docs: {} } });
  onTestFinished(() => knowledge.close());
  const docs = knowledge.collection('docs');
  const holds = (expected: Readonly<Record<string, string>>): Promise<void> => until(() => isExactly(docs, expected));
  await holds({ 'guide/a/one.md': 'walrus', 'guide/a/deep/two.md': 'badger', 'named.md': 'version one' });

  // A whole folder within the tree and one from outside, with folders in them, and a file under another name.
  move('guide/a', 'guide/b/a');
  move('outside/new', 'guide/c/new');
  move('guide/b/a/one.md', 'guide/b/a/first.md');
  const moved = { 'guide/b/a/first.md': 'walrus', 'guide/b/a/deep/two.md': 'badger', 'guide/c/new/three.md': 'otter' };
  await holds({ ...moved, 'named.md': 'version one' });

  // In the moved folders changes are heard of, too; a file is replaced as editors do it; links and their leftovers stay out.
  write('guide/b/a/deep/two.md', 'weasel');
  write('guide/c/new/x/y/z/four.md', 'ferret');
  write('.named.md.tmp', 'version two');
  renameSync(at('.named.md.tmp'), at('named.md'));
  write('guide/c/new/three.md~', 'backup');
  write('guide/c/#three.md#', 'backup');
  symlinkSync(at('guide/b'), at('guide/link'));
  symlinkSync(at('guide/loop'), at('guide/loop'));
  const changed = { ...moved, 'guide/b/a/deep/two.md': 'weasel', 'guide/c/new/x/y/z/four.md': 'ferret' };
  await holds({ ...changed, 'named.md': 'version two' });

  // A folder goes and comes again at once, as when a branch is changed, while one file never comes to rest.
  const writing = setInterval(() => appendFileSync(at('guide/log.txt'), 'tick\n'), 40);
  try {
    rmSync(at('guide/c'), { recursive: true });
    for (let n = 0; n < 150; n++) write(`guide/c/many/${n % 10}/${n}.md`, `stoat${n}`);
    move('guide/c/many/3', 'guide/d/3');
    const many = Array.from({ length: 150 }, (_, n): [string, string] => [
      n % 10 === 3 ? `guide/d/3/${n}.md` : `guide/c/many/${n % 10}/${n}.md`,
      `stoat${n}`,
    ]);
    const { 'guide/c/new/three.md': _, 'guide/c/new/x/y/z/four.md': __, ...kept } = changed;
    const all = { ...kept, ...Object.fromEntries(many), 'named.md': 'version two' };
    await until(() => isExactly(docs, all, 'guide/log.txt'));
    rmSync(at('guide/d/3'), { recursive: true });
    write('guide/d/3/3.md', 'marten');
    const rest = Object.entries(all).filter(([path]) => !path.startsWith('guide/d/'));
    await until(() => isExactly(docs, { ...Object.fromEntries(rest), 'guide/d/3/3.md': 'marten' }, 'guide/log.txt'));
  } finally {
    clearInterval(writing);
  }
  for (const child of watchers) {
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  }
});

it('lists a skipped file once until it changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('pegboard.yaml', 'tools: [{ name: docs, type: rag, description: D, collection: docs }]\n');
  write('guide/broken.ipynb', '{');
  write('guide/other.ipynb', '{');
  write('guide/a.md', 'walrus');
  write('named.md', 'badger');
  const child = await startWatch(folder);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const listed = (name: string): number => printed.split(`skipped guide/${name}`).length - 1;
  write('guide/a.md', 'otter');
  await until(() => printed.includes('1 document indexed'));
  expect([listed('broken.ipynb'), listed('other.ipynb')]).toEqual([0, 0]);
  expect(printed).toContain('2 skipped');
  write('guide/broken.ipynb', '{"cells"');
  await until(() => listed('broken.ipynb') === 1);
  expect(listed('other.ipynb')).toBe(0);
  child.kill('SIGINT');
  await once(child, 'close');
});

async function startWatch(cwd: string): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], HOME: cwd, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  const args = [CLI, 'rag', 'watch', 'guide', 'named.md'];
  const child = spawn(process.execPath, args, { cwd, env, timeout: 200_000 });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await until(() => stderr.includes('Watching'));
  return child;
}

/** Returns true when a collection has these documents with this content, and no others but one that changes all the time. */
async function isExactly(
  docs: KnowledgeCollection,
  expected: Readonly<Record<string, string>>,
  restless?: string,
): Promise<boolean> {
  const { store } = await docs.open();
  const held = await store.read('docs', { limit: 1000 });
  const texts = held.filter(({ id }) => id !== restless).map(({ id, chunks }) => [id, chunks[0]?.text]);
  if (restless !== undefined && texts.length === held.length) return false;
  const wanted = Object.entries(expected);
  const found = new Map(texts.map(([id = '', text]) => [id, text]));
  return texts.length === wanted.length && wanted.every(([path, text]) => found.get(path) === text);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(50);
}
