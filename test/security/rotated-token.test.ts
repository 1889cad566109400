// A token that was rotated in the file that the config names is out of use at once, under serve --http --watch.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI } from '../cli-program.test-helper.ts';

const OLD = 'old-token-of-ada-0123456789';
const NEW = 'new-token-of-ada-0123456789';
const hash = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}\n`;

/** Puts a token's hash where the config reads it from, as an editor, a program or Kubernetes does. */
const PLACES: readonly (readonly [string, string, (folder: string, token: string) => void])[] = [
  ['is written', "'${file:ada.hash}'", (folder, token) => writeFileSync(join(folder, 'ada.hash'), hash(token))],
  [
    'is replaced, in another folder, as a secret',
    "'${ADA}'",
    (folder, token) => {
      mkdirSync(join(folder, 'secrets'), { recursive: true });
      writeFileSync(join(folder, 'secrets/next'), hash(token));
      renameSync(join(folder, 'secrets/next'), join(folder, 'secrets/ada'));
    },
  ],
  [
    'is mounted',
    "'${file:mounted/ada.hash}'",
    (folder, token) => {
      const at = join(folder, 'mounted');
      mkdirSync(join(at, token), { recursive: true });
      writeFileSync(join(at, token, 'ada.hash'), hash(token));
      symlinkSync(token, join(at, '..next'));
      renameSync(join(at, '..next'), join(at, '..data'));
      if (token === OLD) symlinkSync('..data/ada.hash', join(at, 'ada.hash'));
    },
  ],
];

it.for(PLACES)('where the file %s', async ([, value, put]) => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-rotated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  put(folder, OLD);
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `variables: { ADA: { secret: { file: secrets/ada } } }
tools: [{ name: echo, type: cli, description: Echo, risk: read, command: echo hi }]
serve: { tokens: [{ name: ada, hash: ${value} }] }
`.replace(value === "'${ADA}'" ? 'none' : /^variables.*\n/, ''),
  );
  const args = [CLI, 'serve', '--http', '--port', '0', '--watch', '--json'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await expect.poll(() => stdout + stderr).toContain('"url"');
  const { url } = JSON.parse(stdout) as { url: string };
  const status = async (token: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  expect(await status(OLD)).not.toBe(401);
  expect(await status(NEW)).toBe(401);
  put(folder, NEW);
  await expect.poll(() => status(OLD)).toBe(401);
  expect(await status(NEW)).not.toBe(401);
});
