// Boards apart and shared: users, folders, variables, files, and machines without a place for boards.
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fillDisk, mountSmallDisk } from '../small-disk.test-helper.ts';
import { copyVersion, createMachine, findProcesses, type Machine, SAY } from './machine.test-helper.ts';
import type { FrontClient } from './front-client.test-helper.ts';

const isRoot = process.geteuid?.() === 0;
/** Any user without rights. */
const NOBODY = 65_534;

/** A tool that prints a variable of the command, and one that prints its folder. */
const SHOW = {
  name: 'show',
  type: 'run',
  description: 'Show a variable',
  risk: 'read',
  env_pass: ['SHOWN', 'LATE_*'],
  commands: [{ cmd: 'sh', args: ['-c', 'echo "$SHOWN $LATE_ONE $FILLED"'] }],
};

async function closeAll(machine: Machine, fronts: readonly FrontClient[]): Promise<void> {
  await Promise.all(fronts.map((front) => front.close()));
  await machine.end();
}

describe('variables', () => {
  it('are compared, and boards of other values are not shared', async () => {
    const machine = createMachine({
      serve: { mode: 'classic' },
      variables: { KEY: { secret: { env: 'SECRET' } } },
      tools: [{ ...SHOW, env: { FILLED: '${NAMED} ${KEY}' } }],
    });
    const values = { NAMED: 'named', SECRET: 'a-secret-of-one', SHOWN: 'shown', LATE_ONE: 'late' };
    const show = async (env: Readonly<Record<string, string>>): Promise<FrontClient> => machine.open({ env });
    const first = await show(values);
    const { pid } = machine.board();
    // Variables that no file names do not matter.
    const same = await show({ ...values, OTHER: 'x', TERM: 'dumb', SHLVL: '7' });
    expect(machine.boards()).toHaveLength(1);
    const others = await Promise.all(Object.keys(values).map((name) => show({ ...values, [name]: `another-${name}` })));
    expect(machine.boards()).toHaveLength(5);
    const said = await Promise.all([first, same, ...others].map((front) => front.text('show')));
    const line = ({ NAMED, SECRET, SHOWN, LATE_ONE }: typeof values): string =>
      `${SHOWN} ${LATE_ONE} ${NAMED} ${SECRET}\n`.replaceAll(SECRET, '[secret:KEY]');
    expect(new Set(said.map((text) => text.replaceAll(/\[[^\]]*\]/g, '[secret:KEY]')))).toEqual(
      new Set([line(values), ...Object.keys(values).map((name) => line({ ...values, [name]: `another-${name}` }))]),
    );
    expect(same.errors).toBe('');
    // A board has the variables of the front that started it, and no other.
    expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('another-');
    await closeAll(machine, [first, same, ...others]);
  });

  it('are in no file of a board', async () => {
    const machine = createMachine({ serve: { mode: 'classic' }, tools: [SHOW] });
    const front = await machine.open({ env: { SHOWN: 'a-value-that-nobody-reads' } });
    const text = readFileSync(join(machine.board().folder, 'board.json'), 'utf8');
    expect(text).not.toContain('a-value-that-nobody-reads');
    expect(JSON.parse(text).variables).toMatchObject({
      names: expect.arrayContaining(['SHOWN']),
      patterns: ['LATE_*'],
    });
    await closeAll(machine, [front]);
  });

  it('that a call lists are not compared after a reload', async () => {
    const machine = createMachine({ serve: { mode: 'classic' }, tools: [SHOW] });
    const one = await machine.open({ env: { UNNAMED: '1' } });
    const two = await machine.open({ env: { UNNAMED: '2' } });
    await one.text('show');
    const { variables } = machine.board();
    machine.write({ serve: { mode: 'classic' }, tools: [SHOW, SAY] });
    await Promise.all([one, two].map((front) => front.until(() => front.errors.includes('reloaded'))));
    expect(await two.text('say', { text: 'both' })).toBe('both\n');
    expect(machine.board().variables).toEqual(variables);
    await closeAll(machine, [one, two]);
  });

  it('that all boards read count where a file names them', async () => {
    const tool = { ...SHOW, env: { SHOWN: '${USER} ${TMPDIR:-none}' } };
    const machine = createMachine({ serve: { mode: 'classic' }, tools: [tool] });
    const users = [
      { USER: 'ada', TMPDIR: '/tmp/a' },
      { USER: 'ada', TMPDIR: '/tmp/b' },
    ];
    const fronts = await Promise.all(users.map((env) => machine.open({ env })));
    expect(await Promise.all(fronts.map((front) => front.text('show')))).toEqual(['ada /tmp/a  \n', 'ada /tmp/b  \n']);
    await closeAll(machine, fronts);
  });

  it('with logins of programs that print secrets count', async () => {
    const secret = { command: ['sh', '-c', 'echo "secret-of-$VAULT_TOKEN"'] };
    const tool = { ...SHOW, env: { SHOWN: '${KEY}' }, commands: [{ cmd: 'sh', args: ['-c', 'echo "$SHOWN" | rev'] }] };
    const machine = createMachine({ serve: { mode: 'classic' }, variables: { KEY: { secret } }, tools: [tool] });
    const open = (name: string): Promise<FrontClient> => machine.open({ env: { VAULT_TOKEN: name } });
    const fronts = [await open('production'), await open('testing')];
    expect(await Promise.all(fronts.map((front) => front.text('show')))).toEqual([
      'noitcudorp-fo-terces\n',
      'gnitset-fo-terces\n',
    ]);
    await closeAll(machine, fronts);
  });

  it('of agents count before their first call', async () => {
    const machine = createMachine({ tools: [SAY], agents: { helper: { description: 'Help' } } });
    const one = await machine.open({ env: { OPENAI_API_KEY: 'one' } });
    const two = await machine.open({ env: { OPENAI_API_KEY: 'two' } });
    expect(machine.boards()).toHaveLength(2);
    await closeAll(machine, [one, two]);
  });

  it('that a reload names move just the fronts that differ', async () => {
    const machine = createMachine({ serve: { mode: 'classic' }, tools: [SAY] });
    const values = ['same', 'same', 'other'];
    const fronts = await Promise.all(values.map((value) => machine.open({ env: { NEW_NAME: value } })));
    const before = machine.board();
    // The front that started it decides which two stay.
    const own = readFileSync(`/proc/${before.pid}/environ`, 'latin1').includes('NEW_NAME=same') ? 'same' : 'other';
    const tool = { ...SHOW, env: { FILLED: '${NEW_NAME}' } };
    machine.write({ serve: { mode: 'classic' }, tools: [SAY, tool] });
    await Promise.all(
      fronts.map((front) => front.until(() => front.notified('notifications/tools/list_changed').length > 0)),
    );
    await expect.poll(() => machine.boards().length).toBe(2);
    for (const [at, front] of fronts.entries()) expect(await front.text('show')).toBe(`  ${values[at]}\n`);
    const moved = fronts.filter((_, at) => values[at] !== own);
    // Those that moved hear of changed lists twice: from the board, and from their front.
    for (const front of moved) expect(front.notified('notifications/prompts/list_changed').length).toBeGreaterThan(0);
    expect(machine.boards().map(({ pid }) => pid)).toContain(before.pid);
    await closeAll(machine, fronts);
  });
});

describe('folders', () => {
  it('share a board, unless a file names the folder that it is started in', async () => {
    const machine = createMachine();
    for (const name of ['a', 'b']) mkdirSync(join(machine.folder, name));
    const open = (name: string) => machine.open({ cwd: join(machine.folder, name) });
    const fronts = await Promise.all([open('a'), open('b')]);
    expect(machine.boards()).toHaveLength(1);
    await closeAll(machine, fronts);
    const here = {
      name: 'here',
      type: 'run',
      description: 'Here',
      working_dir: '${PEGBOARD_CWD}',
      commands: [{ cmd: 'pwd' }],
    };
    machine.write({ serve: { mode: 'classic' }, tools: [here] });
    const apart = await Promise.all([open('a'), open('b')]);
    expect(machine.boards()).toHaveLength(2);
    expect(await Promise.all(apart.map((front) => front.text('here')))).toEqual(
      ['a', 'b'].map((name) => `${join(machine.folder, name)}\n`),
    );
    await closeAll(machine, apart);
  });

  it('of users share no board: their data and approvals lie there', async () => {
    const machine = createMachine();
    const home = join(machine.folder, 'other-home');
    mkdirSync(home);
    const fronts = [await machine.open(), await machine.open({ env: { HOME: home } })];
    expect(machine.boards().map((board) => board.home)).toHaveLength(2);
    await closeAll(machine, fronts);
  });

  it('name one board by any path to its file', async () => {
    const machine = createMachine();
    symlinkSync(machine.folder, join(machine.runtime, '..', 'link'));
    const fronts = [
      await machine.open(),
      await machine.open({ args: ['pegboard.yaml'] }),
      await machine.open({ args: [join(machine.folder, '../link/pegboard.yaml')], cwd: '/' }),
      await machine.open({ args: ['--file', join(machine.folder, 'pegboard.yaml'), '--watch'], cwd: '/' }),
    ];
    expect(machine.boards()).toHaveLength(1);
    await closeAll(machine, fronts);
  });
});

describe('a machine without a place for boards', () => {
  const warning = (reason: string): string =>
    `pegboard: warning: there is no place for a board of this machine: ${reason} This process serves alone.\n`;

  it('serves alone where the folder can be entered by others, belongs to another user or is none', async () => {
    const machine = createMachine();
    const remedy = 'Remove it, or name another folder in PEGBOARD_RUNTIME.';
    mkdirSync(machine.runtime);
    chmodSync(machine.runtime, 0o750);
    const open = await machine.open();
    expect(open.errors).toBe(warning(`${machine.runtime} can be entered by other users. ${remedy}`));
    expect(await open.text('say', { text: 'alone' })).toBe('alone\n');
    rmSync(machine.runtime, { recursive: true });
    writeFileSync(machine.runtime, '');
    const file = await machine.open();
    expect(file.errors).toContain('This process serves alone.');
    rmSync(machine.runtime);
    symlinkSync('/tmp', machine.runtime);
    const link = await machine.open();
    expect(link.errors).toBe(warning(`${machine.runtime} is not a folder. ${remedy}`));
    const long = join(machine.folder, 'x'.repeat(80));
    const far = await machine.open({ env: { PEGBOARD_RUNTIME: long } });
    expect(far.errors).toBe(warning(`PEGBOARD_RUNTIME is longer than 80 bytes, too long for a socket: ${long}.`));
    rmSync(machine.runtime);
    for (const front of [open, file, link, far]) await front.close();
    await expect.poll(() => machine.processes()).toEqual([]);
  });

  it.runIf(isRoot)('serves alone where the folder belongs to another user', async () => {
    const machine = createMachine();
    mkdirSync(machine.runtime, { mode: 0o700 });
    chownSync(machine.runtime, NOBODY, NOBODY);
    const front = await machine.open();
    expect(front.errors).toBe(
      warning(
        `${machine.runtime} belongs to another user (${NOBODY}). Remove it, or name another folder in PEGBOARD_RUNTIME.`,
      ),
    );
    expect(await front.text('say', { text: 'alone' })).toBe('alone\n');
    await front.close();
  });

  it('serves alone on a full disk, and shares again when there is room', async ({ skip }) => {
    const machine = createMachine();
    if (!mountSmallDisk(machine.runtime)) skip('This user may not mount a disk.');
    const filler = join(machine.runtime, 'filler');
    fillDisk(filler);
    const front = await machine.open();
    expect(front.errors).toMatch(/there is no place for a board of this machine: .+ This process serves alone\.\n$/);
    expect(await front.text('say', { text: 'alone' })).toBe('alone\n');
    await front.close();
    rmSync(filler);
    const shared = await machine.open();
    expect([shared.errors, machine.boards().length]).toEqual(['', 1]);
    // A disk that becomes full later changes nothing for fronts that are there.
    fillDisk(filler);
    expect(await shared.text('say', { text: 'on' })).toBe('on\n');
    await closeAll(machine, [shared]);
  });

  it('keeps its fronts where the folder vanishes, and makes it anew for others', async () => {
    const machine = createMachine();
    const front = await machine.open();
    const { pid } = machine.board();
    rmSync(machine.runtime, { recursive: true });
    expect(await front.text('say', { text: 'still' })).toBe('still\n');
    const second = await machine.open();
    expect(second.errors).toBe('');
    expect(machine.board().pid).not.toBe(pid);
    process.kill(pid, 'SIGKILL');
    // The first front finds the other board.
    await front.until(() => front.errors.includes('the board has ended'));
    expect(await front.text('say', { text: 'moved' })).toBe('moved\n');
    await closeAll(machine, [front, second]);
  });
});

describe.runIf(isRoot)('two users of one machine', () => {
  it('never share a board', async () => {
    const machine = createMachine();
    chmodSync(join(machine.folder, '..'), 0o755);
    // The package of this run may lie in a folder that is closed to others.
    const cli = copyVersion(join(machine.folder, '..'), '0.1.0');
    const mine = await machine.open({ cli });
    const board = machine.board();
    const theirs = join(machine.folder, '../theirs');
    mkdirSync(theirs);
    chownSync(theirs, NOBODY, NOBODY);
    const env = { HOME: theirs, NODE_COMPILE_CACHE: undefined };
    // In a folder of their own; in mine, they serve alone.
    const other = await machine.open({ cli, uid: NOBODY, env: { ...env, PEGBOARD_RUNTIME: join(theirs, 'run') } });
    const shared = findProcesses('--shared').find((pid) => findProcesses(theirs).includes(pid));
    expect(shared).toBeDefined();
    expect(readFileSync(`/proc/${shared}/status`, 'latin1')).toMatch(new RegExp(`^Uid:\\s+${NOBODY}\\s`, 'm'));
    const intruder = await machine.open({ cli, uid: NOBODY, env });
    expect(intruder.errors).toContain('belongs to another user (0)');
    expect(await intruder.text('say', { text: 'alone' })).toBe('alone\n');
    const connect = `require('node:net').connect(${JSON.stringify(board.socket)}).on('error', ({ code }) => console.log(code))`;
    expect(execFileSync(process.execPath, ['-e', connect], { uid: NOBODY, gid: NOBODY, encoding: 'utf8' })).toBe(
      'EACCES\n',
    );
    for (const front of [intruder, other, mine]) await front.close();
    process.kill(shared ?? 0, 'SIGTERM');
    await machine.end();
  });
});

describe('a board of its own', () => {
  it('is what flags, variables and files ask for', async () => {
    const machine = createMachine();
    const alone = [
      await machine.open({ args: ['--standalone'] }),
      await machine.open({ env: { PEGBOARD_STANDALONE: '1' } }),
      await machine.open({ env: { PEGBOARD_STANDALONE: undefined, CI: 'true' } }),
      await machine.open({ env: { PEGBOARD_STANDALONE: undefined, PEGBOARD_CALL: 'x' } }),
    ];
    expect(machine.boards()).toEqual([]);
    machine.write({ tools: [SAY], serve: { standalone: true } });
    alone.push(await machine.open());
    expect(machine.boards()).toEqual([]);
    for (const front of alone) {
      expect(await front.text('say', { text: 'alone' })).toBe('alone\n');
      expect(front.errors).toBe('');
      await front.close();
    }
    await expect.poll(() => machine.processes()).toEqual([]);
  });

  it('over HTTP is not shared; with --stdio it is', async () => {
    const machine = createMachine({ tools: [SAY], serve: { http: true, port: 0 } });
    const http = machine.start();
    await http.until(() => /at http:\S+/.test(http.errors));
    expect(machine.boards()).toEqual([]);
    const front = await machine.open({ args: ['--stdio'] });
    expect(await front.text('say', { text: 'shared' })).toBe('shared\n');
    expect(machine.boards()).toHaveLength(1);
    await http.kill();
    await closeAll(machine, [front]);
  });
});
