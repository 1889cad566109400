// A feature of others: packed, installed beside the packed Pegboard, and used from YAML, from code and on the command line.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, installPegboard } from './packed.test-helper.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-features-'));
const state = mkdtempSync(join(tmpdir(), 'pegboard-features-state-'));

const BOARD = `plugins: [pegboard-quota]
quota: { calls_per_day: 2 }
tools:
  - { name: hello, type: cli, description: Say hello, command: echo hello, risk: read }
`;

beforeAll(() => {
  installPegboard(folder);
  installPacked('pegboard-quota', join(root, 'examples/plugin-quota'), folder);
  write('package.json', '{ "type": "module" }');
  write('pegboard.yaml', BOARD);
});
afterAll(() => [folder, state].forEach((place) => rmSync(place, { recursive: true, force: true })));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Runs the installed command with a data folder of its own. */
function run(data: string, ...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const cli = join(folder, 'node_modules/pegboard/dist/cli.js');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_STATE_HOME: state,
    PEGBOARD_DATA: join(state, data),
    NODE_NO_WARNINGS: '1',
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

describe('a feature of an installed plugin', () => {
  it('runs nothing in a folder that nobody trusts: its command is unknown there', () => {
    expect(run('a', 'quota')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no command "quota".'),
    });
    expect(run('a', 'validate').stdout).toContain('belongs to no loaded part; a plugin may define it.');
    expect(run('a', 'trust').code).toBe(0);
  });

  it('counts over processes, and refuses what is above its limit', () => {
    expect(run('a', 'quota').stdout).toBe('No calls today.\n');
    expect(run('a', 'call', 'hello').stdout).toBe('hello\n');
    expect(run('a', 'call', 'hello').stdout).toBe('hello\n');
    expect(run('a', 'call', 'hello')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The quota of 2 calls a day is used up.'),
    });
    expect(run('a', 'quota').stdout).toBe('the board itself  2 of 2\n');
    expect(JSON.parse(run('a', 'quota', '--json').stdout)).toEqual([
      { caller: 'the board itself', calls: 2, limit: 2 },
    ]);
    expect(run('a', 'status').stdout).toMatch(/^quota +the board itself +2 of 2 calls today$/m);
    expect(run('a', 'doctor').stdout).toMatch(/^warning +quota +calls a day +used up by the board itself$/m);
  });

  it('has help for its command', () => {
    expect(run('b', 'quota', '--help').stdout).toContain(
      'Shows how many calls each caller made today. Added by the feature "quota" of this board.',
    );
    expect(run('b', 'help', 'quota').stdout).toContain('Usage: pegboard quota [OPTIONS]');
  });

  it('has its section in the schema, for editors, and in the check of files, with line and column', () => {
    const schema: unknown = JSON.parse(run('b', 'schema').stdout);
    expect(schema).toMatchObject({ properties: { quota: { required: ['calls_per_day'] } } });
    write('broken.yaml', BOARD.replace('calls_per_day: 2', 'calls_per_dy: 2'));
    const { code, stdout, stderr } = run('b', 'validate', 'broken.yaml');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain(
      'broken.yaml:2:10 quota.calls_per_dy: is not a known key. Known: calls_per_day, callers. Did you mean "calls_per_day"?',
    );
    write('odd.yaml', BOARD.replace('{ calls_per_day: 2 }', '{ calls_per_day: 2, callers: { eve: 0 } }'));
    expect(run('b', 'validate', 'odd.yaml').stdout).toContain(
      'odd.yaml:2:44 quota.callers.eve: may make no calls at all; a policy would say so more clearly.',
    );
  });

  it('changes with a reload, and no call is lost meanwhile', () => {
    write(
      'reload.mjs',
      `import { writeFileSync } from 'node:fs';
      import { openBoard } from 'pegboard';
      writeFileSync('live.yaml', ${JSON.stringify(BOARD)}.replace('echo hello', 'sleep 0.3'));
      const board = await openBoard('live.yaml', { data: ${JSON.stringify(join(state, 'c'))} });
      const first = board.call('hello');
      writeFileSync('live.yaml', ${JSON.stringify(BOARD)}.replace('calls_per_day: 2', 'calls_per_day: 3'));
      const { ok } = await board.reload();
      const others = [await board.call('hello'), await board.call('hello'), await board.call('hello')];
      console.log(JSON.stringify([ok, [await first, ...others].map((one) => one.ok || one.error.code)]));
      await board.close();`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ['reload.mjs'], { cwd: folder, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '[true,[true,true,true,"permission_denied"]]\n', stderr: '' });
  });

  it('passes its own tests, and has types that hold in a strict project', () => {
    const own = join(folder, 'node_modules/pegboard-quota');
    cpSync(join(root, 'examples/plugin-quota/test'), join(own, 'test'), { recursive: true });
    const tests = spawnSync(process.execPath, ['--no-warnings', '--test'], { cwd: own, encoding: 'utf8' });
    expect(`${tests.stdout}${tests.stderr}`.split('failing tests:')[1] ?? '').toBe('');
    expect(tests.status).toBe(0);
    cpSync(join(root, 'examples/plugin-quota'), join(folder, 'checked'), { recursive: true });
    const flags = '--allowJs --checkJs --strict --noEmit --module nodenext --target es2024 --types node'.split(' ');
    const files = ['checked/src/index.js', 'checked/src/quota-command.js', 'checked/test/quota.test.js'];
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...flags, ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });
});
