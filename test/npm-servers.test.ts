// MCP servers from npm: entries for npx start the file of the package, without npx and without a network.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Board, openBoard, type OpenBoardOptions } from '../src/index.ts';
import { eventually } from '../src/platform/process/spawners.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';
import { type NpmRegistry, type Said, startRegistry } from './npm-registry.test-helper.ts';

const NAME = '@ada/mcp-desk';

interface Place {
  readonly folder: string;
  readonly data: string;
  /** The folder with the packages that boards installed. */
  readonly packages: string;
  /** Writes the board file, with a server `desk` of this command line. */
  write(line: readonly string[], more?: Readonly<Record<string, unknown>>): void;
}

/** A folder for a board, without a package; gone after the test. */
function makePlace(registry: NpmRegistry): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-npm-servers-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [folder, data] = [join(base, 'board'), join(base, 'data')];
  mkdirSync(folder);
  // npm takes the folder for a project and looks no further up.
  writeFileSync(join(folder, 'package.json'), '{}');
  return {
    folder,
    data,
    packages: join(data, 'packages'),
    write([command, ...args], { env = {}, ...more } = {}) {
      const desk = { command, args, env: { ...registry.env, ...(env as object) }, ...more };
      writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ name: 'desk', mcpServers: { desk } }));
    },
  };
}

async function open({ folder, data }: Place, options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, data, ...options });
  onTestFinished(() => board.close());
  return board;
}

/** Starts the server of a board in this process; gives what it says of itself, or why it did not start. */
async function ask(place: Place, options: OpenBoardOptions = {}): Promise<Said | string> {
  const board = await open(place, options);
  const { ok, text: said } = await board.call('desk__show');
  await board.close();
  return ok ? (JSON.parse(said) as Said) : said;
}

async function askSaid(place: Place, options?: OpenBoardOptions): Promise<Said> {
  const said = await ask(place, options);
  if (typeof said === 'string') throw new Error(said);
  return said;
}

/** Writes the lock of a board, as `pegboard lock` does. */
async function lock(place: Place): Promise<string> {
  const board = await open(place, { lock: 'ignore', eager: true });
  board.lock.write();
  await board.close();
  return readFileSync(join(place.folder, 'pegboard.lock'), 'utf8');
}

/** Runs `pegboard` in a process of its own. */
function startCli({ folder, data }: Place, ...args: readonly string[]) {
  const env = { ...process.env, PEGBOARD_DATA: data };
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const done = Promise.all([code, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
    code,
    stdout,
    stderr,
  }));
  return { child, done };
}

/** The numbers of the processes below a process. */
function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** A folder for PATH with a program `node` alone, and others as scripts. */
function makePath({ folder }: Place, programs: Readonly<Record<string, string>> = {}): string {
  const bin = join(dirname(folder), 'bin');
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, 'node'))) symlinkSync(process.execPath, join(bin, 'node'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

describe('a server of npx', () => {
  it('starts from node_modules as one process, without npm and npx in PATH', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.2.0');
    const place = makePlace(registry);
    await registry.npm(place.folder, 'install', `${NAME}@1.2.0`);
    const path = makePath(place);
    const inner = join(place.folder, 'inner');
    mkdirSync(inner);
    place.write(['npx', '-y', `${NAME}@^1`, '--flag', 'a b'], { env: { PATH: path }, cwd: inner });
    const board = await open(place);
    const said: Said = JSON.parse((await board.call('desk__show')).text);
    const file = join(place.folder, 'node_modules', NAME, 'server.js');
    expect(said).toMatchObject({ version: '1.2.0', file, args: ['--flag', 'a b'] });
    expect(said.path.split(':').slice(0, 2)).toEqual([join(place.folder, 'node_modules/.bin'), path]);
    expect(board.servers[0]?.pid).toBe(said.pid);
    const command = readFileSync(`/proc/${said.pid}/cmdline`, 'utf8').split('\0');
    expect(command).toEqual([join(path, 'node'), file, '--flag', 'a b', '']);
    expect(childrenOf(said.pid)).toEqual([]);
    expect(existsSync(place.packages)).toBe(false);
  });

  it('looks in node_modules first, then in the cache of npx, then in its own packages, each time for the version', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    registry.publish(NAME, '2.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', `${NAME}@2.0.0`]);
    // The cache as npx itself writes it.
    await registry.npm(dirname(place.folder), 'exec', '--yes', '--', `${NAME}@2.0.0`);
    const asked = registry.requests.length;
    expect((await askSaid(place)).file).toContain('/_npx/');
    await registry.npm(place.folder, 'install', `${NAME}@1.0.0`);
    // Another version in node_modules is passed over, as npx does.
    expect(await askSaid(place)).toMatchObject({ version: '2.0.0', file: expect.stringContaining('/_npx/') });
    await registry.npm(place.folder, 'install', `${NAME}@2.0.0`);
    expect((await askSaid(place)).file).toBe(join(place.folder, 'node_modules', NAME, 'server.js'));
    expect(existsSync(place.packages)).toBe(false);
    expect(asked).toBeLessThan(registry.requests.length);

    rmSync(join(place.folder, 'node_modules'), { recursive: true });
    rmSync(registry.cache, { recursive: true });
    const own = join(place.packages, '@ada+mcp-desk@2.0.0/node_modules', NAME, 'server.js');
    expect((await askSaid(place)).file).toBe(own);
    await registry.close();
    expect((await askSaid(place)).file).toBe(own);
  });

  it('starts the program that --package and npm exec name', async () => {
    const registry = await startRegistry();
    const bin = { 'desk-server': './server.js', other: './server.js', sh: '/bin/sh' };
    registry.publish(NAME, '1.0.0', { bin });
    const place = makePlace(registry);
    await registry.npm(place.folder, 'install', NAME);
    const path = makePath(place, { npx: 'exit 9', npm: 'exit 9' });
    const file = join(place.folder, 'node_modules', NAME, 'server.js');
    for (const line of [
      ['npx', '-p', NAME, 'other', 'x'],
      ['npx', '--yes', `--package=${NAME}@1.0.0`, '--', 'desk-server', 'x'],
      ['npm', 'exec', '-y', '--package', NAME, '--', 'other', 'x'],
    ]) {
      place.write(line, { env: { PATH: path } });
      expect(await askSaid(place)).toMatchObject({ file, args: ['x'] });
    }
    // No program of the package: npx is started, and says so.
    for (const line of [
      ['npx', '-p', NAME, 'gone'],
      ['npx', '-p', NAME, 'sh'],
      ['npx', '-y', NAME],
    ]) {
      place.write(line, { env: { PATH: path } });
      expect(await ask(place)).toContain('it ended with exit code 9');
    }
  });

  it('leaves to npx what would be another program of that name', async () => {
    const registry = await startRegistry();
    registry.publish('desk-server', '6.6.6');
    const place = makePlace(registry);
    const path = makePath(place, { npx: 'exit 9', npm: 'exit 8' });
    place.write(['npx', '-y', 'desk-server'], { env: { PATH: path } });
    const bins = join(place.folder, 'node_modules/.bin');
    mkdirSync(bins, { recursive: true });
    writeFileSync(join(bins, 'desk-server'), '');
    expect(await ask(place)).toContain('it ended with exit code 9');
    rmSync(bins, { recursive: true });
    writeFileSync(join(place.folder, 'package.json'), JSON.stringify({ bin: { 'desk-server': 'x.js' } }));
    expect(await ask(place)).toContain('it ended with exit code 9');
    expect(registry.requests).toEqual([]);
  });

  it('keeps the version that a range or no version stood for, until it is updated', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    for (const spec of [`${NAME}@^1.0.0`, NAME, `${NAME}@latest`]) {
      place.write(['npx', '-y', spec]);
      expect((await askSaid(place)).version).toBe('1.0.0');
    }
    registry.publish(NAME, '1.1.0', { toolText: 'Show the whole desk' });
    rmSync(registry.cache, { recursive: true });
    const asked = registry.requests.length;
    for (const spec of [`${NAME}@^1.0.0`, NAME, `${NAME}@latest`]) {
      place.write(['npx', '-y', spec]);
      expect((await askSaid(place)).version).toBe('1.0.0');
    }
    expect(registry.requests.length).toBe(asked);
    place.write(['npx', '-y', `${NAME}@^1.0.0`]);
    const config = readFileSync(join(place.folder, 'pegboard.yaml'), 'utf8');
    expect((await startCli(place, 'lock').done).code).toBe(0);
    const env = registry.env;
    const update = (...more: string[]) =>
      startCli({ ...place }, 'mcp', 'update', 'desk', '--yes', ...more).done.then(({ code, stdout }) => [code, stdout]);
    process.env['npm_config_registry'] = env['npm_config_registry'];
    process.env['npm_config_cache'] = env['npm_config_cache'];
    onTestFinished(() => {
      delete process.env['npm_config_registry'];
      delete process.env['npm_config_cache'];
    });
    expect(await update('--dry-run')).toEqual([0, expect.stringContaining('version: "1.0.0" → "1.1.0"')]);
    expect((await askSaid(place)).version).toBe('1.0.0');
    const [code, stdout] = await update();
    expect(stdout).toContain('description: "Show the desk" → "Show the whole desk"');
    expect(stdout).toContain(`Updated desk in pegboard.lock: npx -y ${NAME}@1.1.0`);
    expect(code).toBe(0);
    expect(readFileSync(join(place.folder, 'pegboard.yaml'), 'utf8')).toBe(config);
    await registry.close();
    expect((await askSaid(place)).version).toBe('1.1.0');
    rmSync(join(place.folder, 'pegboard.lock'));
    expect((await askSaid(place)).version).toBe('1.1.0');
  });
});

describe('an installation', () => {
  it('happens once for two processes that start at once', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', NAME]);
    const release = registry.hold();
    const both = [startCli(place, 'call', 'desk__show', '--trust'), startCli(place, 'call', 'desk__show', '--trust')];
    await eventually(() => registry.downloads() > 0);
    release();
    const files = await Promise.all(
      both.map(({ done }) => done.then(({ stdout }) => (JSON.parse(stdout) as Said).file)),
    );
    const own = join(place.packages, '@ada+mcp-desk@1.0.0/node_modules', NAME, 'server.js');
    expect(files).toEqual([own, own]);
    expect(registry.downloads()).toBe(1);
    expect(readdirSync(place.packages).toSorted()).toEqual(['@ada+mcp-desk@1.0.0', 'versions']);
  });

  it('leaves nothing that is used when its board is killed', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', `${NAME}@1.0.0`]);
    const release = registry.hold();
    const { child, done } = startCli(place, 'call', 'desk__show', '--trust');
    await eventually(() => registry.downloads() > 0);
    child.kill('SIGKILL');
    await done;
    const left = readdirSync(place.packages);
    expect(left.every((name) => name.startsWith('.new-'))).toBe(true);
    release();
    expect(await askSaid(place)).toMatchObject({ version: '1.0.0', file: expect.stringContaining('@1.0.0/') });
  });

  it('ends with its board', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', NAME]);
    registry.hold();
    const board = await open(place);
    const call = board.call('desk__show');
    await eventually(() => registry.downloads() > 0);
    await board.close();
    expect((await call).ok).toBe(false);
    expect(readdirSync(place.packages)).toEqual([]);
  });

  it('goes on after the start that wanted it gave up', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', NAME], { start_timeout: '20ms' });
    const release = registry.hold();
    const board = await open(place, { servers: 'cached' });
    expect(await board.servers[0]?.connect()).toContain(
      `npm is still installing ${NAME}. That goes on: call again in a moment.`,
    );
    await eventually(() => registry.downloads() > 0);
    release();
    await eventually(() => existsSync(join(place.packages, '@ada+mcp-desk@1.0.0')));
    expect(registry.downloads()).toBe(1);
  });

  it('runs the scripts of packages, as npx does, and reads the npm settings of the project', async () => {
    const registry = await startRegistry();
    const place = makePlace(registry);
    const marker = join(dirname(place.folder), 'ran');
    registry.publish(NAME, '1.0.0', { scripts: { postinstall: `echo x >> '${marker}'` } });
    place.write(['npx', '-y', NAME], { env: { npm_config_registry: '' } });
    writeFileSync(join(place.folder, '.npmrc'), `@ada:registry=${registry.url}\n`);
    const runs = (): number => (existsSync(marker) ? readFileSync(marker, 'utf8').length : 0);
    expect((await askSaid(place)).version).toBe('1.0.0');
    const own = runs();
    await lock(place);
    // A newer npm may want a permission for scripts: npx tells which way it is.
    await registry.npm(dirname(place.folder), 'exec', '--yes', '--', NAME);
    expect(runs()).toBe(2 * own);
    // The pinned package is compared first, and then gets its scripts too.
    rmSync(place.packages, { recursive: true });
    rmSync(registry.cache, { recursive: true });
    expect((await askSaid(place)).version).toBe('1.0.0');
    expect(runs()).toBe(3 * own);
    expect(readdirSync(join(place.packages, '@ada+mcp-desk@1.0.0'))).not.toContain('.npmrc');
  });

  it('says what to do when it fails', async () => {
    const registry = await startRegistry();
    const place = makePlace(registry);
    place.write(['npx', '-y', `${NAME}@1.0.0`]);
    const unknown = await ask(place);
    expect(unknown).toContain(
      `The MCP server "desk" (npx) is not available: ${NAME}@1.0.0 is not on this machine and could not be installed: npm install ended with exit code 1.`,
    );
    expect(unknown).toContain(`npm knows no package ${NAME}@1.0.0: check its name.`);
    await registry.close();
    const offline = await ask(place);
    expect(offline).toContain(
      `or run: npm install --prefix ${place.folder} ${NAME}@1.0.0. npm cannot reach its registry`,
    );
    place.write(['npx', '-y', `${NAME}@next`]);
    expect(await ask(place)).toContain(
      `or write ${NAME} in its entry, and run: npm install --prefix ${place.folder} ${NAME}.`,
    );
    place.write(['npx', '-y', `${NAME}@1.0.0`], { env: { PATH: makePath(place) } });
    expect(await ask(place)).toContain('The command "npm" was not found in PATH. Install it, or give its full path');
    expect(readdirSync(place.packages).filter((name) => name !== 'versions')).toEqual([]);
  });
});

describe.runIf(process.geteuid?.() === 0)('another user', () => {
  it('brings neither a package nor a registry into a folder above', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    const inner = join(place.folder, 'inner');
    mkdirSync(inner);
    place.write(['npx', '-y', NAME], { cwd: inner });
    await registry.npm(place.folder, 'install', `${NAME}@1.0.0`);
    writeFileSync(join(place.folder, '.npmrc'), 'registry=http://127.0.0.1:9/\nignore-scripts=true\n');
    for (const part of ['node_modules', 'package.json', '.npmrc']) chownSync(join(place.folder, part), 65_534, 65_534);
    expect((await askSaid(place)).file).toContain(place.packages);
    chownSync(inner, 65_534, 65_534);
    expect((await askSaid(place)).file).toContain(join(place.folder, 'node_modules'));
  });
});

describe('pegboard.lock', () => {
  it('has the package of a server, and another archive of its version is refused before a script of it runs', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', NAME]);
    const { packages } = JSON.parse(await lock(place));
    expect(packages).toEqual({
      desk: { name: NAME, version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) },
    });
    expect((await open(place)).lock).toMatchObject({ state: 'read', changes: [] });

    // The pinned version is installed where there is none, although the registry has a newer one.
    registry.publish(NAME, '1.5.0');
    rmSync(place.packages, { recursive: true });
    rmSync(registry.cache, { recursive: true });
    expect((await askSaid(place)).version).toBe('1.0.0');

    const marker = join(dirname(place.folder), 'ran');
    registry.publish(NAME, '1.0.0', { scripts: { postinstall: `echo x >> '${marker}'` }, description: 'Other' });
    rmSync(place.packages, { recursive: true });
    rmSync(registry.cache, { recursive: true });
    const refused = await ask(place);
    expect(refused).toContain(`${NAME}@1.0.0 of the registry is not what`);
    expect(refused).toMatch(/is not what pegboard\.lock pins: its integrity is sha512-\S+, the pinned one sha512-/);
    expect(refused).toContain('If you trust it, run pegboard lock; pegboard mcp update desk takes another version.');
    expect(existsSync(marker)).toBe(false);
    expect(readdirSync(place.packages).filter((name) => name !== 'versions')).toEqual([]);
    // Also one that is there already.
    await registry.npm(place.folder, 'install', `${NAME}@1.0.0`);
    expect(await ask(place)).toContain(`${NAME}@1.0.0 in ${place.folder} is not what pegboard.lock pins`);

    const { packages: taken } = JSON.parse(await lock(place));
    expect(taken['desk'].integrity).not.toBe(packages['desk'].integrity);
    expect((await askSaid(place)).file).toContain(`${place.folder}/node_modules`);
  });

  it('refuses another archive although the registry gives the pinned hash beside its own', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '2.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', `${NAME}@2.0.0`]);
    const [pinned = ''] = /sha512-[\w+/=]+/.exec(await lock(place)) ?? [];
    rmSync(place.data, { recursive: true });
    rmSync(registry.cache, { recursive: true });
    registry.publish(NAME, '2.0.0', { toolText: 'Another desk' });
    registry.claim(pinned);
    expect(await ask(place)).toContain('is not what pegboard.lock pins');
  });

  it('decides about an entry that asks for another version: a warning, or no start under deny', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    registry.publish(NAME, '2.0.0');
    const place = makePlace(registry);
    place.write(['npx', '-y', `${NAME}@1.0.0`]);
    await lock(place);
    place.write(['npx', '-y', `${NAME}@2.0.0`]);
    const board = await open(place, { eager: true });
    expect(board.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^"package desk" \(mcp desk\) changed:\n {2}version: "1\.0\.0" → "2\.0\.0"\n {2}integrity:/,
      ),
    ]);
    await board.close();
    place.write(['npx', '-y', `${NAME}@2.0.0`], { lock: 'deny' });
    expect(await ask(place)).toContain(
      `pegboard.lock pins ${NAME}@1.0.0, and the entry asks for ${NAME}@2.0.0. Write the pinned version, or look at the new one and run pegboard lock.`,
    );
    const checked = await startCli(place, 'lock', '--check', '--trust').done;
    expect(checked.code).toBe(1);
    await lock(place);
    expect((await askSaid(place)).version).toBe('2.0.0');
  });
});

describe('a server of uvx', () => {
  it('starts the tool that uv installed, and uvx for others', async () => {
    const registry = await startRegistry();
    registry.publish(NAME, '1.0.0');
    const place = makePlace(registry);
    const tools = join(dirname(place.folder), 'tools');
    const path = makePath(place, { uvx: 'exit 9' });
    const bin = join(tools, 'mcp-desk/bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(tools, 'mcp-desk/lib/python3.13/site-packages/mcp_desk-1.4.0.dist-info'), { recursive: true });
    writeFileSync(join(tools, 'mcp-desk/uv-receipt.toml'), '');
    await registry.npm(dirname(place.folder), 'install', NAME);
    const server = join(dirname(place.folder), 'node_modules', NAME, 'server.js');
    symlinkSync(server, join(bin, 'mcp-desk'));
    symlinkSync(server, join(bin, 'MCP_desk'));
    const env = { UV_TOOL_DIR: tools, PATH: path };
    for (const line of [
      ['uvx', 'mcp-desk', 'x'],
      ['uvx', 'mcp-desk@1.4.0', 'x'],
      ['uv', 'tool', 'run', 'MCP_desk', 'x'],
    ]) {
      place.write(line, { env });
      expect(await askSaid(place)).toMatchObject({ version: '1.0.0', args: ['x'] });
    }
    for (const word of ['mcp-desk@1.5.0', 'mcp-desk@latest', 'other', '../mcp-desk', '--from']) {
      place.write(['uvx', word], { env });
      expect(await ask(place)).toContain('it ended with exit code 9');
    }
  });
});
