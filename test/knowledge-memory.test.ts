// The memory of `rag index` for one long document: a few copies of its text, however many words it has.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';

const MEGABYTE = 1_000_000;

function readProc(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const mostMemory = (pid: number | undefined): number =>
  (Number(/VmHWM:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024) / MEGABYTE;

/** Indexes a folder; gives the most memory in MB of the command and of the process that reads documents, 0 where there was none. */
async function index(folder: string): Promise<{ stdout: string; own: number; reader: number }> {
  // V8's room for new objects grows with the memory of the machine; here it counts what is kept.
  const env = { PATH: process.env['PATH'], HOME: folder, NODE_OPTIONS: '--max-semi-space-size=4' };
  const args = [CLI, 'rag', 'index', 'files', '--json'];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let [stdout, own, reader] = ['', 0, 0];
  const timer = setInterval(() => {
    own = Math.max(own, mostMemory(child.pid));
    for (const pid of readProc(child.pid, `task/${child.pid}/children`).split(' ').filter(Boolean)) {
      if (readProc(Number(pid), 'cmdline').includes('reader-program'))
        reader = Math.max(reader, mostMemory(Number(pid)));
    }
  }, 10);
  for await (const text of child.stdout) stdout += String(text);
  clearInterval(timer);
  return { stdout, own, reader };
}

function* words(): Generator<string> {
  // The same on each run: a few words are frequent, most are rare.
  for (let seed = 1; ; seed = (seed * 48_271) % 2_147_483_647)
    yield `w${Math.floor(30_000 ** (seed / 2_147_483_647)).toString(36)}`;
}

function longText(size: number): string {
  const source = words();
  const next = (count: number): string => Array.from({ length: count }, () => source.next().value).join(' ');
  let text = '# Long\n';
  for (let section = 0; text.length < size; section++) text += `\n## ${section} ${next(3)}\n\n${next(200)}.\n`;
  return text;
}

it.runIf(process.platform === 'linux')(
  'takes a few times the size of a long document, and no reader for short ones',
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-memory-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'files'));
    const config = 'tools: [{ name: docs, type: rag, description: The docs, collection: docs }]\n';
    writeFileSync(join(folder, 'pegboard.yaml'), config);
    for (let n = 0; n < 20; n++) writeFileSync(join(folder, 'files', `${n}.md`), longText(5_000));
    const short = await index(folder);
    expect(JSON.parse(short.stdout)).toMatchObject({ indexed: 20 });
    expect(short.reader).toBe(0);
    writeFileSync(join(folder, 'files/long.md'), longText(6 * MEGABYTE));
    const long = await index(folder);
    expect(JSON.parse(long.stdout)).toMatchObject({ indexed: 1, unchanged: 20 });
    expect(long.own - short.own).toBeLessThan(130);
    expect(long.reader).toBeLessThan(180);
  },
);
