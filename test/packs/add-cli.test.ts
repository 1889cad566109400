// Packs as a person meets them: the real command line, from an empty folder.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI } from '../cli-program.test-helper.ts';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], folder: string, path: string): Promise<Outcome> {
  const env = { PATH: path, HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env, timeout: 200_000 });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr })));
}

/** An empty folder, with the command line in it. */
function open(): {
  readonly folder: string;
  run(...args: string[]): Promise<Outcome>;
  /** The same on a machine without any command. */
  runAlone(...args: string[]): Promise<Outcome>;
  read(path: string): string;
  write(path: string, text: string): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-add-'));
  // The programs of the packs need only be there: none is run.
  const bin = mkdtempSync(join(tmpdir(), 'pegboard-bin-'));
  for (const name of ['git', 'jq', 'rg']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
  onTestFinished(() => [folder, bin].forEach((path) => rmSync(path, { recursive: true })));
  return {
    folder,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, text) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    run: (...args) => start(args, folder, `${bin}:${process.env['PATH']}`),
    runAlone: (...args) => start(args, folder, join(folder, 'none')),
  };
}

it('starts a board with packs that is valid, limited to its folder and asks before anything is destroyed', async () => {
  const { run, read } = open();
  const { code, stdout, stderr } = await run('init', '--pack', 'git,jq', '--pack', 'git');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^On pegboard\.yaml: pack git: 15 tools \(8 read, 5 write, 2 destructive\)\.\nOn pegboard\.yaml: pack jq: 6 tools \(6 read\)\.\nWrote packs\/git\.yaml, packs\/jq\.yaml, pegboard\.schema\.json, pegboard\.yaml\. Next: pegboard list\n$/,
  );
  expect(read('pegboard.yaml')).toContain('import:\n  - packs/git.yaml\n  - packs/jq.yaml\n\n# Paths');
  expect((await run('validate')).stdout).toBe('Valid: 21 tools in 3 files.\n');
  expect(await run('call', 'jq_check', '--args', '{"files":["/etc/hostname"]}')).toMatchObject({ code: 1 });
  const restored = await run('call', 'git_restore', '--args', '{"paths":["notes.txt"]}');
  expect(restored.stderr).toContain('approval_required');
  // The commands that the help shows work on such a board.
  const shown = (await run('call', '--help')).stdout.match(/(?<=^ *pegboard )call git_.*/gm) ?? [];
  expect(shown).toEqual(['call git_log limit=5', 'call git_push branch=main --dry-run']);
  const dry = await Promise.all(shown.map((line) => run(...line.split(' '), '--dry-run')));
  expect(dry.map(({ code: ended, stderr: said }) => [ended, said])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const again = await run('init', '--pack', 'jq');
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('To add to it: pegboard add pack:jq');
});

it('adds to a board and keeps every line of it', async () => {
  const { run, read, write } = open();
  const before = '# Mine.\nname: desk # the desk\nimport:\n  # first\n  - other.yaml\n\n# The end.\ntools: []\n';
  write('pegboard.yaml', before);
  write('other.yaml', 'name: other\ntools: []\n');
  const { code, stdout, stderr } = await run('add', 'pack:jq');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'On pegboard.yaml: pack jq: 6 tools (6 read).\nWrote packs/jq.yaml, pegboard.yaml. Next: pegboard list\n',
  });
  expect(stderr).toBe(
    'note pegboard.yaml has no policy.roots, so tools accept any path. To limit them to this folder: policy: { roots: [.] }\n',
  );
  expect(read('pegboard.yaml')).toBe(before.replace('  - other.yaml\n', '  - other.yaml\n  - packs/jq.yaml\n'));
  expect((await run('add', 'pack:jq', '--json')).stdout).toContain('"written": []');
});

it('says which tools of the board itself win over those of the pack', async () => {
  const { run, write } = open();
  write('pegboard.yaml', 'tools: [{ name: git_log, type: cli, description: Log, command: git log }]\n');
  expect((await run('add', 'pack:git')).stderr).toContain(
    "note pegboard.yaml has its own tool git_log, which takes precedence. Rename or remove it there to use the pack's tool.\n",
  );
});

it('adds no import that a folder or a glob already has, and finds the board from a folder below', async () => {
  const { run, read, write } = open();
  write('pegboard.yaml', 'import: packs/*.yaml\npolicy: { roots: [.] }\n');
  expect((await run('add', 'pack:jq')).stdout).toContain('Wrote packs/jq.yaml. Next');
  expect(read('pegboard.yaml')).toBe('import: packs/*.yaml\npolicy: { roots: [.] }\n');
});

it('makes a board where there is none', async () => {
  const { run, read } = open();
  expect((await run('add', 'pack:jq')).stdout).toContain('Wrote packs/jq.yaml, pegboard.schema.json, pegboard.yaml.');
  expect(read('pegboard.yaml')).toContain('import:\n  - packs/jq.yaml\n\n');
});

it('brings a copy up to date that was not changed, and keeps one that was', async () => {
  const { run, read, write } = open();
  await run('add', 'pack:jq');
  const now = read('packs/jq.yaml');
  // As an earlier version would have brought it: another text, with the hash of that text.
  const body = 'name: jq\ntools:\n  - { name: jq_old, type: cli, description: Old, command: jq, risk: read }\n';
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const old = `# Pack jq of pegboard 0.1.0, ${hash}. You may change it.\n${body}`;
  write('packs/jq.yaml', old);
  expect((await run('add', 'pack:jq')).stderr).toBe(
    'note packs/jq.yaml was updated: new: jq_query, jq_files, jq_lines, jq_shape, jq_format, jq_check; gone: jq_old.\n',
  );
  expect(read('packs/jq.yaml')).toBe(now);

  const mine = old.replace('description: Old', 'description: Mine');
  write('packs/jq.yaml', mine);
  expect((await run('add', 'pack:jq')).stderr).toBe(
    "note packs/jq.yaml was changed by you and stays unchanged. In the pack: new: jq_query, jq_files, jq_lines, jq_shape, jq_format, jq_check; gone: jq_old. To take the pack's version instead: pegboard add pack:jq --replace\n",
  );
  expect(read('packs/jq.yaml')).toBe(mine);

  write('packs/jq.yaml', now.replace('name: jq_check', 'name: is_json'));
  expect((await run('add', 'pack:jq')).stderr).toBe(
    'note packs/jq.yaml was changed by you and stays unchanged. The pack is no newer.\n',
  );
  expect((await run('add', 'pack:jq', '--replace')).stderr).toBe(
    'note packs/jq.yaml was updated: new: jq_check; gone: is_json.\n',
  );
  expect(read('packs/jq.yaml')).toBe(now);
});

it('names the nearest packs and writes nothing for one that does not exist', async () => {
  const { run, runAlone, folder } = open();
  expect(await run('add', 'pack:jq', 'pack:gti')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error There is no pack "gti". Did you mean git? "pegboard add --list" shows all.\n',
  });
  expect(await runAlone('add', 'git')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It is not installed. There is a pack for it: pegboard add pack:git'),
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('says how to install a command that is missing, in add and in doctor', async () => {
  const { runAlone } = open();
  const hint = process.platform === 'darwin' ? 'brew install jq' : 'apt install jq';
  expect((await runAlone('add', 'pack:jq')).stderr).toBe(`note jq is not in PATH. Install it: ${hint}\n`);
  expect((await runAlone('doctor')).stdout).toContain(`is not in PATH; install it: ${hint} (jq_query`);
});

it('takes the name of a command for that of its pack', async () => {
  const { run } = open();
  expect((await run('add', 'pack:rg')).stdout).toContain('pack ripgrep: 7 tools');
});

it('lists the packs', async () => {
  const { run } = open();
  expect((await run('add', '--list')).stdout).toMatch(/^git +15 tools \(8 read, 5 write, 2 destructive\) +Look at a/m);
});
