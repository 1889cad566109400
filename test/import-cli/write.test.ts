// `pegboard import cli` with a file that exists, and the depth of an import.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { formatMade } from '../../src/cli/commands/import/write-yaml.ts';
import { CLI } from '../cli-program.test-helper.ts';

/** An empty folder, and the command line in it with the stand-in for terraform. */
function open(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tf.yaml');
  return {
    folder,
    file,
    read: () => readFileSync(file, 'utf8'),
    async run(...args: string[]) {
      const path = [folder, join(import.meta.dirname, '../fixtures/terraform'), process.env['PATH']].join(delimiter);
      const child = spawn(process.execPath, [CLI, ...args], {
        cwd: folder,
        env: { ...process.env, ...env, PATH: path, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const code = new Promise((resolve) => child.once('close', resolve));
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await code, stdout, stderr };
    },
  };
}

it('says of each risk that it was guessed, also of flags whose order counts', () => {
  const args = [
    { name: 'file', risk: { a: 'write' } },
    { name: 'filters', type: 'array', sequence: [{ name: 'include' }, { name: 'filter', risk: 'destructive' }] },
    { name: 'filter', risk: 'write' },
  ];
  const places = { 'args.file.risk': 'a', 'args.filters.filter.risk': 'b', 'args.filter.risk': 'c' };
  const data = { name: 'x', tools: [{ name: 'send', args }] };
  const yaml = formatMade({ remarks: [], data, comments: new Map([['send', places]]) });
  expect(yaml.match(/ risk:.*/g)).toEqual([' risk: # a', ' risk: destructive # b', ' risk: write # c']);
});

it('keeps a file that is there, adds to it with --update, and writes it anew with --replace', async () => {
  const { run, read, file } = open();
  const importing = ['import', 'cli', 'terraform', '--out', 'tf.yaml'];
  expect(await run(...importing, '--only', 'state *')).toMatchObject({
    code: 0,
    stdout: 'Wrote 4 tools to tf.yaml. Check them with: pegboard validate tf.yaml\n',
  });
  expect(read()).toContain('    risk: destructive # guessed from "rm"\n');
  expect(read()).toContain('    risk: read # guessed from "list"\n    tags:\n      - guessed-read\n');

  const edited = read().replace('description: Remove things from the state', 'description: Forget things # mine');
  writeFileSync(file, edited);
  const refused = await run(...importing, '--only', 'state *');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(
    'tf.yaml already exists. Use --update to add what is new and keep the rest, --replace to overwrite it, or choose another name.',
  );
  expect(read()).toBe(edited);

  const updated = await run(...importing, '--only', 'state *', '--only', 'workspace *', '--update');
  expect(updated.stdout).toBe('Added 4 new tools to tf.yaml. Check them with: pegboard validate tf.yaml\n');
  expect(updated.stderr).toContain(
    'Unchanged, although the import would write them differently now: terraform_state_rm.',
  );
  expect(read().startsWith(edited.trimEnd())).toBe(true);
  expect(await run('validate', 'tf.yaml')).toMatchObject({ code: 0, stdout: 'Valid: 8 tools in 1 file.\n' });
  expect((await run(...importing, '--only', 'state *', '--update')).stdout).toBe(
    'Nothing is new: tf.yaml is unchanged.\n',
  );

  expect((await run(...importing, '--only', 'state rm', '--replace')).stdout).toContain('Wrote 1 tool to tf.yaml.');
  expect(read()).not.toContain('# mine');
});

it('goes as deep and as far as it is told', async () => {
  const { run } = open();
  const names = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await run('import', 'cli', 'terraform', '--json', ...args);
    return JSON.parse(stdout).tools.map(({ name }: { name: string }) => name);
  };
  expect(await names('--only', 'workspace')).toEqual([
    'terraform_workspace_delete',
    'terraform_workspace_list',
    'terraform_workspace_new',
    'terraform_workspace_select',
  ]);
  expect(await names('--depth', '1')).not.toContain('terraform_state_rm');
  expect(await names('--limit', '2')).toEqual(['terraform_init', 'terraform_validate']);
  const { stdout } = await run('import', 'cli', 'terraform', '--json', '--limit', '2');
  expect(JSON.parse(stdout).notes[0]).toMatch(/^Not read, because there were too many .*: terraform plan, .* more\.$/);
});

it('says which subcommand is not there', async () => {
  const { run } = open();
  const { code, stderr } = await run('import', 'cli', 'terraform', '--only', 'stat');
  expect([code, stderr.trim()]).toEqual([
    1,
    'error No subcommand of terraform fits --only "stat". It has: init, validate, plan, apply, destroy, fmt, force-unlock, get, import, output, show, state, version, workspace.',
  ]);
});

it('passes the variables that a program lives on, says which, and no others', async () => {
  const set = { OPS_URL: 'https://ops', KUBECONFIG: 'elsewhere', HTTPS_PROXY: 'http://proxy', OTHER_TOKEN: 'not this' };
  const { run, folder } = open(set);
  const program = (name: string, help: string): void => {
    const print = 'echo "$OPS_URL|$KUBECONFIG|$HTTPS_PROXY|$OTHER_TOKEN"';
    writeFileSync(join(folder, name), `#!/bin/sh\nif [ "$1" = --help ]; then echo "${help}"; else ${print}; fi\n`);
    chmodSync(join(folder, name), 0o755);
  };
  program(
    'opsctl',
    'Usage: opsctl [--url URL] [--wide]\n\nOptions:\n  --url URL  Address [env: OPS_URL]\n  --wide  More',
  );
  // An import passes the same variables as the pack.
  program('kubectl', 'Usage: kubectl [--wide]\n\nOptions:\n  --wide  More');
  const { stderr } = await run('import', 'cli', 'opsctl', '--out', 'ops.yaml');
  expect(stderr).toBe(
    'note Variables passed to the commands if they are set, in addition to PATH, HOME, LANG and those for certificates: OPS_URL, *_PROXY, *_proxy. Remove from env_pass what they should not have.\n',
  );
  await run('import', 'cli', 'kubectl', '--out', 'kubectl.yaml');
  const told = await Promise.all([
    run('call', 'opsctl', 'wide=true', '--file', 'ops.yaml'),
    run('call', 'kubectl', 'wide=true', '--file', 'kubectl.yaml'),
  ]);
  expect(told.map(({ stdout }) => stdout)).toEqual(['https://ops||http://proxy|\n', '|elsewhere|http://proxy|\n']);
});
