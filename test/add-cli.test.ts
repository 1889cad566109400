// `pegboard add` for what people have: a command, an API, an MCP server, a folder, code.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';
import { atTerminal } from './terminal.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const API = {
  openapi: '3.1.0',
  info: { title: 'Shop API', version: '1' },
  servers: [{ url: '/v1' }],
  paths: { '/items': { get: { operationId: 'listItems', summary: 'List items', responses: {} } } },
};

/** An empty folder with a command `lamp` in PATH, and the command line in it. */
function open() {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-add-'));
  const bin = mkdtempSync(join(tmpdir(), 'pegboard-bin-'));
  onTestFinished(() => {
    for (const path of [folder, bin]) rmSync(path, { recursive: true });
  });
  const help =
    'Usage: lamp [OPTIONS] ROOM\n\nSwitch the lamp of a room.\n\nOptions:\n  --dim N   how bright\n  --help    this';
  writeFileSync(join(bin, 'lamp'), `#!/bin/sh\ncat <<'END'\n${help}\nEND\n`);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho \'"1.0.0"\'\n');
  for (const program of ['lamp', 'npm']) chmodSync(join(bin, program), 0o755);
  const env = { PATH: [bin, process.env['PATH']].join(delimiter) };
  return {
    folder,
    env,
    async run(...args: string[]) {
      const child = spawn(process.execPath, [CLI, ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const code = new Promise((resolve) => child.once('close', resolve));
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await code, stdout, stderr };
    },
    read: (path = 'pegboard.yaml') => readFileSync(join(folder, path), 'utf8'),
    put: (path: string, content: unknown) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
    },
  };
}

it('makes tools of an installed command, in a file that the board imports', async () => {
  const { run, read } = open();
  const { code, stdout } = await run('add', 'lamp', '--yes');
  expect([code, stdout]).toEqual([
    0,
    'On pegboard.yaml: the command lamp: 1 tool.\nWrote tools/lamp.yaml, pegboard.schema.json, pegboard.yaml. Next: pegboard list\n',
  ]);
  expect(read()).toContain('import:\n  - tools/lamp.yaml\n');
  expect((await run('call', 'lamp', 'room=kitchen', '--dry-run')).stdout).toContain('"lamp"\n  "kitchen"');
  expect((await run('add', 'lamp', '--yes')).stdout).toContain('the command lamp: 1 tool.');
});

it('takes some subcommands of a command, and says so where there are none', async () => {
  const { run, read, put, folder, env } = open();
  put(
    'rig',
    '#!/bin/sh\ncase "$1" in --help) printf "Usage: rig COMMAND\\n\\nCommands:\\n  up    Lift it\\n  down  Lower it\\n";; *) printf "Usage: rig $1 [OPTIONS]\\n\\nOptions:\\n  --fast   Hurry\\n";; esac\n',
  );
  chmodSync(join(folder, 'rig'), 0o755);
  env.PATH = [folder, env.PATH].join(delimiter);
  expect((await run('add', 'rig', '--only', 'up', '--yes')).stdout).toContain('the command rig: 1 tool.');
  expect(read('tools/rig.yaml')).toMatch(/command: rig up\n/);
  const { code, stderr } = await run('add', 'rig', 'pack:git', '--only', 'up', '--yes');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--only selects subcommands, but "pack:git" is not a command.'),
  ]);
  // The note names options that this command has.
  const limited = await run('add', 'rig', '--limit', '1', '--timeout', '1m', '--dry-run');
  expect(limited.stdout).toContain('the command rig: 1 tool\n');
  expect(limited.stderr).toContain(
    'Not read, because there were too many (--limit) or time ran out (--timeout): rig down.',
  );
  expect((await run('add', 'pack:git', '--limit', '1')).stderr).toContain(
    '--limit sets the number of subcommands to read, but "pack:git" is not a command.',
  );
});

it('writes nothing when it is ended while it looks', async () => {
  const { put, folder, env } = open();
  const list = 'Usage: rig COMMAND\\n\\nCommands:\\n  up    Lift it\\n  down  Lower it\\n';
  const page = 'Usage: rig up [OPTIONS]\\n\\nOptions:\\n  --fast   Hurry\\n';
  put(
    'rig',
    `#!/bin/sh\ncase "$1" in down) echo >> asked; exec sleep 600;; up) printf "${page}";; *) printf "${list}";; esac\n`,
  );
  chmodSync(join(folder, 'rig'), 0o755);
  env.PATH = [folder, env.PATH].join(delimiter);
  const before = readdirSync(folder);
  for (const [signal, code, args] of [
    ['SIGTERM', 143, ['add', 'rig', '--yes']],
    ['SIGINT', 130, ['import', 'cli', 'rig', '--out', 'rig.yaml']],
  ] as const) {
    const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env: { ...process.env, ...env } });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const told = Promise.all([text(child.stdout), text(child.stderr)]);
    await vi.waitFor(() => expect(existsSync(join(folder, 'asked'))).toBe(true), { timeout: 20_000 });
    child.kill(signal);
    expect([await ended, ...(await told)]).toEqual([
      code,
      '',
      'error The command was stopped before it finished. Nothing was written.\n',
    ]);
    rmSync(join(folder, 'asked'));
    expect(readdirSync(folder)).toEqual(before);
  }
});

it('leaves out tools that the board has already, and says where they are', async () => {
  const { run, read, put } = open();
  put('packs/hand.yaml', 'tools:\n  - { name: lamp, type: cli, description: Mine, command: echo }\n');
  put('pegboard.yaml', 'import: [packs/*.yaml]\n');
  expect(await run('add', 'lamp', '--yes')).toMatchObject({
    code: 1,
    stderr:
      'error pegboard.yaml already has all tools of the command lamp: lamp (packs/hand.yaml). To replace one, remove it there and add it again.\n',
  });
  put('api.json', {
    ...API,
    servers: [{ url: 'https://shop.example.com/v1' }],
    paths: { ...API.paths, '/lamp': { get: { operationId: 'lamp', responses: {} } } },
  });
  const { code, stderr } = await run('add', 'api.json', '--yes', '--replace');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      'Not added, because the board already has tools with these names: lamp (packs/hand.yaml). To use one of the API of api.json instead, remove it there, then add it again with --replace.',
    ),
  ]);
  expect(read('tools/shop-api.yaml')).not.toContain('name: lamp');
  expect(await run('validate')).toMatchObject({ code: 0, stderr: '' });
});

it('advises a pack only where it is not there, and says which tools it takes the place of', async () => {
  const { run, put, env, folder } = open();
  put(
    'bin/jq',
    '#!/bin/sh\ncase "$1" in --help) printf "Usage: jq COMMAND\\n\\nCommands:\\n  query  Ask\\n  other  Look\\n";; *) printf "Usage: jq $1 [OPTIONS]\\n\\nOptions:\\n  --fast   Hurry\\n";; esac\n',
  );
  chmodSync(join(folder, 'bin/jq'), 0o755);
  env.PATH = [join(folder, 'bin'), env.PATH].join(delimiter);
  const first = await run('add', 'jq', '--yes');
  expect(first.stderr).toContain('There is a hand-written pack for jq');
  expect((await run('add', 'pack:jq')).stderr).toContain(
    'These tools of the pack now replace those of tools/jq.yaml: jq_query. Remove them there.',
  );
  const again = await run('add', 'jq', '--yes', '--replace');
  expect(again.stderr).toContain(
    'Not added, because the board already has tools with these names: jq_query (packs/jq.yaml).',
  );
  expect(again.stderr).not.toContain('There is a hand-written pack');
  expect((await run('list')).stderr).toBe('');
});

it('names a program of this folder as the file that is written finds it', async () => {
  const { run, read, put, folder } = open();
  put(
    'ops',
    '#!/bin/sh\n[ "$1" = --help ] && printf "Usage: ops [OPTIONS] HOST\\n\\nOptions:\\n  --fast   Hurry\\n" || echo "did $1"\n',
  );
  expect((await run('add', './ops', '--yes')).stderr).toContain('ops is a file that is not executable.');
  chmodSync(join(folder, 'ops'), 0o755);
  expect((await run('add', './ops', '--yes')).code).toBe(0);
  expect(read('tools/ops.yaml')).toContain('command: ../ops\n');
  expect((await run('call', 'ops', 'host=a')).stdout).toBe('did a\n');
  // A name alone runs no file that merely lies here.
  const hint = expect.stringContaining('ops is not in PATH but in this folder: write ./ops');
  expect(await run('add', 'ops', '--yes')).toMatchObject({ code: 2, stderr: hint });
  expect(await run('import', 'cli', 'ops')).toMatchObject({ code: 2, stderr: hint });
  expect((await run('import', 'cli', './ops', '--out', 'some folder/below/ops.yaml')).code).toBe(0);
  expect((await run('call', 'ops', 'host=b', '-f', 'some folder/below/ops.yaml')).stdout).toBe('did b\n');
});

it('keeps a file of tools that was changed, until --replace', async () => {
  const { run, read, put } = open();
  await run('add', 'lamp', '--yes');
  put('tools/lamp.yaml', `# mine\n${read('tools/lamp.yaml')}`);
  expect((await run('add', 'lamp', '--yes')).stderr).toBe(
    'error tools/lamp.yaml already exists and differs from what would be written. Add --replace to overwrite it.\n',
  );
  expect((await run('add', 'lamp', '--yes', '--replace')).code).toBe(0);
  expect(read('tools/lamp.yaml')).not.toContain('# mine');
});

it('adds a folder, a document, a config file and code at once, and keeps the comments', async () => {
  const { run, read, put } = open();
  put(
    'pegboard.yaml',
    '# mine\nname: desk\ntools:\n  # the first\n  - { name: hello, type: cli, description: Say it, command: echo }\n',
  );
  put('notes/a.md', 'First.\n\n# Hi, `${HOME}` #');
  put('notes/below/old-plans.txt', 'x');
  put('api.json', { ...API, servers: [{ url: 'https://shop.example.com/v1' }] });
  put('more.yaml', 'name: more\ntools:\n  - { name: bye, type: cli, description: Say it, command: echo }\n');
  put(
    'mine.mjs',
    'export const t = { metadata: { name: "in_code", description: "Say it" }, schema: { type: "object" }, execute: () => "y" };',
  );
  const { code, stderr } = await run('add', './notes', 'api.json', 'more.yaml', './mine.mjs', '--yes');
  expect([code, stderr]).toEqual([0, expect.stringContaining('pegboard rag index ./notes --collection notes')]);
  expect(read().startsWith('# mine\nname: desk\ntools:\n  # the first\n')).toBe(true);
  expect(read()).toContain('import:\n  - tools/shop-api.yaml\n  - ./more.yaml\n');
  expect(read()).toContain('type: script\n    file: ./mine.mjs\n');
  const listed = await run('list', '--trust');
  expect(listed.stderr).toBe('');
  expect(listed.stdout).toContain('Search the documents in notes: Hi, ${HOME}, old plans. Cite the file');
  const names = listed.stdout.split('\n').map((line) => line.split('\t')[0]);
  expect(new Set(names)).toEqual(new Set(['', 'bye', 'hello', 'in_code', 'list_items', 'notes-search']));
  expect((await run('add', './notes', '--yes')).stderr).toContain(
    'already has a tool "notes". Index the folder into it',
  );
});

it('says what a policy with roots needs to know of an API and of code, and not of commands', async () => {
  const { run, put } = open();
  put('pegboard.yaml', 'name: desk\npolicy: { roots: [.] }\n');
  const servers = [{ url: 'http://127.0.0.1:9/' }];
  const get = (id: string, name: string, schema: unknown) => ({
    get: { operationId: id, parameters: [{ name, in: 'query', schema }], responses: {} },
  });
  const paths = {
    '/item': get('get_item', 'number', { type: 'integer' }),
    '/tags': get('get_tags', 'label', { type: 'string' }),
  };
  put('known.json', { ...API, info: { title: 'Known', version: '1' }, servers, paths });
  put('api.json', { ...API, servers, paths: { '/read': get('get_read', 'file', { type: 'string' }) } });
  put(
    'mine.mjs',
    'export const t = { metadata: { name: "in_code", description: "Say it" }, schema: { type: "object" }, execute: () => "y" };',
  );
  put('more.yaml', 'tools: [{ name: bye, type: cli, description: Say it, command: echo }]\n');
  const { stderr } = await run('add', 'known.json', 'api.json', './mine.mjs', 'more.yaml', '--yes');
  const notes = stderr.split('\n').filter((line) => line.includes('policy.roots of pegboard.yaml refuses'));
  expect(notes).toEqual([expect.stringContaining('api.json'), expect.stringContaining('mine.mjs')]);
  for (const name of ['get_item', 'get_tags']) {
    expect((await run('call', name, '--dry-run')).stdout).toContain('GET http://127.0.0.1:9/');
  }
  // A refused tool is not reported as missing.
  expect((await run('call', 'get_read', 'file=x')).stderr).toContain(
    'The tool "get_read" is refused: the policy has roots, and it is unknown which arguments of the tool are paths',
  );
});

it('keeps imported commands in the roots of the board', async () => {
  const { run, put } = open();
  put('pegboard.yaml', 'name: desk\npolicy: { roots: [.] }\n');
  put('note.txt', 'mine');
  await run('add', 'cat', '--yes');
  expect(await run('call', 'cat', 'file=note.txt')).toMatchObject({ code: 0, stdout: 'mine\n' });
  const { code, stderr } = await run('call', 'cat', 'file=/etc/hostname');
  expect([code, stderr]).toEqual([1, expect.stringContaining('file[0]: must lie in an allowed folder')]);
});

it('makes a board on which code can be called, without roots that would refuse it', async () => {
  const { run, read, put } = open();
  put(
    'mine.mjs',
    'export const t = { metadata: { name: "in_code", description: "Say it" }, schema: { type: "object" }, execute: () => "y" };',
  );
  expect((await run('add', './mine.mjs', '--yes')).stderr).toContain('has no policy.roots');
  expect(read()).not.toContain('roots');
  expect(await run('call', 'in_code')).toMatchObject({ code: 0, stdout: 'y\n' });
});

it('looks at an address: a document, or an MCP server', async () => {
  const { run, read } = open();
  const server = createServer(({ url, method }, response) => {
    const isDocument = url === '/openapi.json' || (url === '/described' && method === 'GET');
    if (url === '/mcp') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    else if (isDocument) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(API));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address of this kind.
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await run('add', `${address}/openapi.json`, '--yes')).stdout).toContain(': 1 tool.');
  expect(read('tools/shop-api.yaml')).toContain(`base_url: ${address}/v1`);
  expect((await run('add', `${address}/described`, '--dry-run', '--replace')).stdout).toContain('the API of');
  await run('add', `${address}/mcp`, '--yes');
  expect(read()).toContain(`mcpServers:\n  server:\n    url: ${address}/mcp\n`);
  const secret = await run('add', `${address}/mcp?api_key=hush-hush-hush`, '--yes');
  expect(secret.stderr).toBe(
    'error This address contains a secret. Add it with: pegboard mcp add URL, which keeps the secret out of the config file.\n',
  );
  expect(secret.stdout + read()).not.toContain('hush');
  await run('add', '@scope/mcp-server-notes', '--yes');
  expect(read()).toContain("args: [-y, '@scope/mcp-server-notes@1.0.0']");
});

it('writes nothing where no one can be asked, for --dry-run, or for what it does not know', async () => {
  const { run, folder, put } = open();
  const { code, stdout, stderr } = await run('add', 'lamp');
  expect([code, stdout]).toEqual([2, expect.stringContaining('tools/lamp.yaml')]);
  expect(stderr).toContain('Add --yes to write without asking, or --dry-run to preview.');
  expect(JSON.parse((await run('add', 'lamp', '--dry-run', '--json')).stdout)).toMatchObject({
    board: 'pegboard.yaml',
    plans: [{ summary: 'the command lamp: 1 tool', changes: [{ section: 'import', append: ['tools/lamp.yaml'] }] }],
  });
  expect((await run('add', 'no-such-thing')).stderr).toContain('It is not a command in PATH, a file or a folder.');
  put('other.json', { hello: 1 });
  expect((await run('add', 'other.json', '--yes')).stderr).toContain(
    'is neither an OpenAPI document nor a config file',
  );
  expect(existsSync(join(folder, 'pegboard.yaml'))).toBe(false);
});

it('shows at a terminal what it would write, and asks', needs('python3'), async () => {
  const { folder, env } = open();
  const refused = await atTerminal(['add', 'lamp'], { cwd: folder, env, steps: [['Write this to', 'n']] });
  expect([refused.code, refused.shown]).toEqual([1, expect.stringContaining('Nothing was written.')]);
  expect(existsSync(join(folder, 'pegboard.yaml'))).toBe(false);
  const { code, shown } = await atTerminal(['add', 'lamp'], { cwd: folder, env, steps: [['Write this to', '\r']] });
  expect([code, shown]).toEqual([0, expect.stringContaining('Wrote tools/lamp.yaml')]);
});
