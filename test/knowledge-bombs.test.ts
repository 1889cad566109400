// A folder of documents that are made to harm, beside good ones: bad ones are left out with a reason, and the board stays as it is.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { makeBomb } from '../src/knowledge/documents/make-bombs.test-helper.ts';
import { makePdf } from '../src/knowledge/documents/make-pdf.test-helper.ts';
import { makeDocx, paragraph } from '../src/knowledge/documents/office/make-office.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-bombs-'));
  mkdirSync(join(folder, 'files'));
  const config = 'tools: [{ name: docs, type: rag, description: The docs, collection: docs }]\n';
  writeFileSync(join(folder, 'pegboard.yaml'), config);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, 'files', name), content);

/** Runs the command; gives what it printed, and the most memory in MB that it and the reader of documents had. */
async function run(...args: readonly string[]): Promise<{ stdout: string; own: number; reader: number }> {
  const env = { PATH: process.env['PATH'], HOME: folder };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let [stdout, own, reader] = ['', 0, 0];
  const timer = setInterval(() => {
    own = Math.max(own, mostMemory(child.pid));
    for (const pid of childrenOf(child.pid)) reader = Math.max(reader, mostMemory(pid));
  }, 10);
  for await (const text of child.stdout) stdout += String(text);
  clearInterval(timer);
  return { stdout, own, reader };
}

function mostMemory(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1024;
}

function childrenOf(pid: number | undefined): number[] {
  return readProc(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readProc(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

it('leaves out what is made to harm, within its memory, and indexes all else', { timeout: 600_000 }, async () => {
  const used = [
    'zeros.docx',
    'zeros.odt',
    'deep.docx',
    'divs.html',
    'flate.pdf',
    'pages.pdf',
    'kids.pdf',
    'templates.cpp',
  ];
  for (const name of used) write(name, makeBomb(name));
  write('good.docx', makeDocx(paragraph('Umbrellas are lent for a week.')));
  write('good.pdf', makePdf(['Lamps are in the cellar.']));
  write('good.html', '<p>The mast broke.</p>');
  write('good.md', '# Good\n\nApples in autumn.');
  write('line\nand \u001b[31mred.md', 'Glaciers retreat.');
  write('red\u001b[31m.ipynb', '{');
  execFileSync('mkfifo', [join(folder, 'files/pipe.md')]);
  symlinkSync('loop.md', join(folder, 'files/loop.md'));
  symlinkSync('/dev/zero', join(folder, 'files/zero.md'));
  const { stdout, own, reader } = await run('rag', 'index', 'files', '--json');
  const report: unknown = JSON.parse(stdout);
  expect(report).toMatchObject({ indexed: 5 });
  const { skipped } = report as { skipped: { path: string; reason: string }[] };
  expect(Object.fromEntries(skipped.map(({ path, reason }) => [path.slice(6), reason]))).toEqual({
    'zeros.docx': 'unpacks to far more than a document has',
    'zeros.odt': 'unpacks to far more than a document has',
    'deep.docx': 'has elements more than 200 deep in each other in word/document.xml',
    'divs.html': 'has tags more than 1000 deep in each other; close them',
    'flate.pdf': 'takes more than 1000 MB of memory to read; split it',
    'templates.cpp': 'takes more than 1000 MB of memory to read; split it',
    'pages.pdf': 'has more than 20000 pages; split it',
    'kids.pdf': expect.stringMatching(/^is not a PDF that can be read: /),
    'red\u001b[31m.ipynb': 'is not a notebook: it is not JSON',
    'pipe.md': 'is not a regular file',
    'loop.md': 'is a link; name its target',
    'zero.md': 'is a link; name its target',
  });
  // The watchdog looks every 20 ms: what is allocated between two looks comes on top.
  expect(reader).toBeLessThan(1400);
  expect(own).toBeLessThan(500);
  const named = await run('rag', 'index', 'files/loop.md', 'files/pipe.md', 'files/zero.md', '--json');
  expect(JSON.parse(named.stdout)).toMatchObject({ indexed: 0, skipped: [{}, {}, {}] });
  for (const name of used) rmSync(join(folder, 'files', name));
  const plain = await run('rag', 'index', 'files');
  expect(plain.stdout).toContain('is not a notebook');
  expect(plain.stdout).not.toContain('\u001b');
});

it('answers calls while a document is read', { timeout: 600_000 }, async () => {
  const board = await openBoard(join(folder, 'pegboard.yaml'));
  onTestFinished(() => board.close());
  // The parser of its language takes seconds over it, without a pause.
  write('deep.cpp', '{'.repeat(900_000));
  const docs = (await board.knowledge()).collection('docs');
  await board.call('docs-store', { content: 'Backups run at four.' });
  const progress = { isDone: false };
  const indexing = docs.index(['files'], { cwd: folder }).finally(() => (progress.isDone = true));
  let answered = 0;
  while (!progress.isDone) {
    const result = await board.call('docs-search', { query: 'when do backups run' });
    if (result.ok) answered++;
    // Searches without a pause would take the processor that the reader needs.
    await new Promise((settle) => setTimeout(settle, 20));
  }
  expect(await indexing).toMatchObject({ indexed: 1, skipped: [] });
  expect(answered).toBeGreaterThan(10);
});
