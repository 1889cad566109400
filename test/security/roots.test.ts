// `policy.roots` holds for the process that opens a path: real commands, servers, scripts and requests try to get out.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isHelperTool } from '../../src/tool/tool-marks.ts';
import { type Board, defineTool, openBoard, type OpenBoardOptions } from '../../src/index.ts';
import { fixture } from '../upstream-boards.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Json = Readonly<Record<string, unknown>>;

let top: string;
let folder: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-roots-')));
  folder = join(top, 'project');
  for (const path of ['project/notes/deep/er', 'project/data', 'secret', 'home'])
    mkdirSync(join(top, path), { recursive: true });
  writeFileSync(join(top, 'secret/key'), 'the key');
  writeFileSync(join(top, 'home/key'), 'the key');
  writeFileSync(join(folder, 'notes/todo'), 'buy milk');
  writeFileSync(join(folder, 'notes/@todo'), 'at');
  writeFileSync(join(folder, 'outside'), 'the key');
  symlinkSync('../../secret', join(folder, 'notes/out'));
  symlinkSync('deep/er', join(folder, 'notes/in'));
  symlinkSync('/proc/self/cwd', join(folder, 'notes/here'));
  symlinkSync('/proc/thread-self/cwd', join(folder, 'notes/thread'));
  symlinkSync('here', join(folder, 'notes/again'));
  symlinkSync('/proc', join(folder, 'notes/proc'));
  symlinkSync('/dev', join(folder, 'notes/dev'));
  symlinkSync('../../secret/key', join(folder, 'data/todo'));
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

let files = 0;

/** Opens a board whose policy allows the folder notes; closed after the test. */
async function open(config: Json, options: OpenBoardOptions = {}): Promise<Board> {
  const file = join(folder, `board-${++files}.yaml`);
  const policy = { roots: ['notes'], approval: { global: 'none' } };
  writeFileSync(file, JSON.stringify({ policy, ...config }));
  const board = await openBoard(file, { cwd: folder, data: join(top, 'data'), ...options });
  onTestFinished(() => board.close());
  await board.ready();
  return board;
}

/** The tools that the board does not add by itself. */
function namesOf({ registry }: Board): string[] {
  return registry.getAll().flatMap((tool) => (isHelperTool(tool) ? [] : [tool.metadata.name]));
}

/** Calls a tool and gives what it said, or the error's code and rule. */
async function call(board: Board, name: string, args: Json): Promise<string> {
  const { ok, text, error } = await board.call(name, args);
  return ok ? text : `${error?.code}: ${error?.reason}`;
}

const cat = {
  name: 'show',
  description: 'Shows a file.',
  type: 'cli',
  command: 'cat',
  risk: 'read',
  args: [
    { name: 'file', positional: true, path: true, required: true },
    { name: 'in', cwd: true },
  ],
};
const show = { name: 'show', description: 'Shows a file.', type: 'run', risk: 'read' };
const file = { type: 'string', format: 'path' };
const OUTSIDE = (shown: unknown): string =>
  `invalid_arguments: must lie in an allowed folder ("notes"); got ${JSON.stringify(shown)}`;
const OF_PROCESS = (shown: unknown): string =>
  `invalid_arguments: must not lead through /proc or /dev/fd, which lead elsewhere in each process; got ${JSON.stringify(shown)}`;
const RELATIVE = (shown: unknown): string =>
  `invalid_arguments: must be an absolute path, since it is not known where a relative one starts; got ${JSON.stringify(shown)}`;

describe('a command', () => {
  it('opens what lies in a root', async () => {
    const board = await open({ tools: [cat] });
    for (const path of [
      'notes/todo',
      './notes//todo',
      'notes/deep/../todo',
      'notes/in/../../todo',
      `${folder}/notes/todo`,
    ])
      expect(await call(board, 'show', { file: path })).toBe('buy milk');
    expect(await call(board, 'show', { file: 'notes/@todo' })).toBe('at');
    expect(await call(board, 'show', { file: 'todo', in: 'notes' })).toBe('buy milk');
  });

  it.each([
    '/proc/self/cwd/../../etc/passwd',
    '/proc/self/cwd/notes/todo',
    '/proc/thread-self/cwd',
    '/proc/self/root/etc/passwd',
    `/proc/${process.pid}/environ`,
    '/proc/self/fd/0',
    '/dev/fd/0',
    '/dev/stdin',
    '/dev/stdout',
    '/dev/tty',
    'notes/here/../outside',
    'notes/here/notes/todo',
    'notes/thread/notes/todo',
    'notes/again/outside',
    'notes/proc/self/root/etc/passwd',
    'notes/dev/stdin',
    'notes/dev/../proc/self/cwd',
    'notes/../notes/here',
  ])('does not open %s, which is another place for each process', async (path) => {
    // A root that holds everything: only where the way leads is against it.
    const policy = { roots: ['/'], approval: { global: 'none' } };
    for (const board of [await open({ tools: [cat] }), await open({ tools: [cat], policy })])
      expect(await call(board, 'show', { file: path })).toBe(OF_PROCESS(path));
  });

  it.each([
    'outside',
    '../secret/key',
    'notes/out/key',
    'notes/out',
    'notes/out/',
    'notes/in/../../../outside',
    '/etc/passwd',
    '//etc/passwd',
    'NOTES/todo',
    '',
  ])('does not open %j, which lies outside', async (path) => {
    expect(await call(await open({ tools: [cat] }), 'show', { file: path })).toBe(OUTSIDE(path));
  });

  it.each([
    ['~/key', 'must not start with "~": write the whole path, or "./~" for a file of that name; got "~/key"'],
    [
      'file:///etc/passwd',
      'must be a path, not an address (path: true or paths: in the config says so); got "file:///etc/passwd"',
    ],
    [
      'FILE:/etc/passwd',
      'must be a path, not an address (path: true or paths: in the config says so); got "FILE:/etc/passwd"',
    ],
    ['\tfile:///etc/passwd', 'must not contain a control character; got "\\tfile:///etc/passwd"'],
    ['fi\nle:///etc/passwd', 'must not contain a control character; got "fi\\nle:///etc/passwd"'],
    ['notes/todo\0', 'must not contain a NUL character; got "notes/todo\\u0000"'],
  ])('does not open %j', async (path, reason) => {
    expect(await call(await open({ tools: [cat] }), 'show', { file: path })).toBe(`invalid_arguments: ${reason}`);
  });

  it.each([
    ['@/etc/passwd', 'must lie in an allowed folder (".")'],
    ['@../secret/key', 'must lie in an allowed folder (".")'],
    [' /etc/passwd', 'must lie in an allowed folder (".")'],
    ['name=/etc/passwd', 'must lie in an allowed folder (".")'],
    ['name=@/etc/passwd', 'must lie in an allowed folder (".")'],
    ['name=<../secret/key', 'must lie in an allowed folder (".")'],
    ['a=b=/etc/passwd', 'must lie in an allowed folder (".")'],
    ['@notes/out/key', 'must lie in an allowed folder (".")'],
    ['@/dev/stdin', 'must not lead through /proc or /dev/fd, which lead elsewhere in each process'],
    ['name=/proc/self/environ', 'must not lead through /proc or /dev/fd, which lead elsewhere in each process'],
    ['@~/key', 'must not start with "~": write the whole path, or "./~" for a file of that name'],
    ['@file:///etc/passwd', 'must be a path, not an address (path: true or paths: in the config says so)'],
    [' file:///etc/passwd', 'must be a path, not an address (path: true or paths: in the config says so)'],
    ['@@@@@@@@@@@@notes/todo', 'must be one path'],
  ])(
    'does not open %j, which lies inside but for a command that reads what stands before a path',
    async (path, rule) => {
      const board = await open({ tools: [cat], policy: { roots: ['.'], approval: { global: 'none' } } });
      expect(await call(board, 'show', { file: path })).toBe(`invalid_arguments: ${rule}; got ${JSON.stringify(path)}`);
    },
  );

  it('runs in a folder that an argument names as it is started there', async () => {
    const board = await open({ tools: [cat] });
    // The kernel would follow the link first and stay inside; the folder is made absolute before, and is outside.
    const todo = `${folder}/notes/todo`;
    expect(await call(board, 'show', { file: todo, in: 'notes/in/../..' })).toBe(OUTSIDE('notes/in/../..'));
    expect(await call(board, 'show', { file: 'outside', in: 'notes/in/../..' })).toMatch(/^invalid_arguments/);
    expect(await call(board, 'show', { file: 'todo', in: 'notes/in/../../notes' })).toBe('buy milk');
    for (const path of ['/proc/self/cwd', 'notes/here', '/proc/thread-self/cwd/notes'])
      expect(await call(board, 'show', { file: todo, in: path })).toBe(OF_PROCESS(path));
    expect(await call(board, 'show', { file: todo, in: 'notes/out' })).toBe(OUTSIDE('notes/out'));
    expect(await call(board, 'show', { file: '../outside', in: 'notes' })).toBe(OUTSIDE('../outside'));
  });

  it('may have arguments named as paths in its entry', async () => {
    const args = [{ name: 'file', positional: true, required: true }];
    const board = await open({ tools: [{ ...cat, args, paths: ['file'] }] });
    expect(await call(board, 'show', { file: 'notes/todo' })).toBe('buy milk');
    expect(await call(board, 'show', { file: 'outside' })).toBe(OUTSIDE('outside'));
  });
});

describe('commands with templates', () => {
  const run = (command: Json, more: Json = {}): Json => ({
    ...show,
    schema: { properties: { file, dir: { type: 'string' } } },
    commands: [{ cmd: 'cat', ...command }],
    ...more,
  });

  it('resolve relative paths in the folder of each command', async () => {
    const board = await open({ tools: [run({ args: ['{{file}}'], workingDir: 'data' })] });
    // Beside the config there is a notes/todo; where the command runs there is none.
    expect(await call(board, 'show', { file: 'notes/todo' })).toBe(OUTSIDE('notes/todo'));
    expect(await call(board, 'show', { file: '../notes/todo' })).toBe('buy milk');
    const two = run(
      { args: ['{{file}}'] },
      {
        commands: [
          { cmd: 'cat', args: ['{{file}}'] },
          { cmd: 'ls', args: ['{{file}}'], workingDir: 'data' },
        ],
      },
    );
    expect(await call(await open({ tools: [two] }), 'show', { file: 'notes/todo' })).toBe(OUTSIDE('notes/todo'));
    const inner = await open({ tools: [run({ args: ['{{file}}'] }, { working_dir: 'notes' })] });
    expect(await call(inner, 'show', { file: 'todo' })).toBe('buy milk');
    expect(await call(inner, 'show', { file: 'notes/todo' })).toMatch(/^execution_failed/);
  });

  it('keep to the roots with what stands around a path', async () => {
    const policy = { roots: ['notes', 'data'], approval: { global: 'none' } };
    const board = await open({ policy, tools: [run({ args: ['data/{{file}}'] })] });
    // By itself it names no file; with the text before it a link that leads out.
    expect(await call(board, 'show', { file: 'todo' })).toMatch(/^invalid_arguments: must lie in an allowed folder/);
    const rooted = await open({ tools: [run({ args: ['/{{file}}'] })], policy: { ...policy, roots: ['.'] } });
    expect(await call(rooted, 'show', { file: 'etc/passwd' })).toMatch(/^invalid_arguments: must lie in an allowed/);
    const environment = await open({
      policy: { ...policy, roots: ['.'] },
      tools: [run({ cmd: 'sh', args: ['-c', 'cat "$FILE"'], env: { FILE: '/{{file}}' } })],
    });
    expect(await call(environment, 'show', { file: 'etc/passwd' })).toMatch(
      /^invalid_arguments: must lie in an allowed/,
    );
  });

  it('take flags and other words before a path for what they are', async () => {
    for (const element of ['if={{file}}', '--in=if={{file}}', 'HEAD:{{file}}', '@{{file}}', '-I{{file}}']) {
      const board = await open({ tools: [run({ cmd: 'echo', args: [element] })] });
      expect(await call(board, 'show', { file: 'notes/todo' })).toBe(`${element.replace('{{file}}', 'notes/todo')}\n`);
      expect(await call(board, 'show', { file: 'outside' })).toBe(OUTSIDE('outside'));
    }
  });

  it('run in a folder made from arguments only where that lies in a root', async () => {
    const board = await open({ tools: [run({ args: ['{{file}}'], workingDir: '{{dir}}' })] });
    expect(await call(board, 'show', { file: 'todo', dir: 'notes' })).toBe('buy milk');
    expect(await call(board, 'show', { file: `${folder}/notes/todo`, dir: '..' })).toBe(OUTSIDE('..'));
    expect(await call(board, 'show', { file: `${folder}/notes/todo`, dir: 'notes/here' })).toBe(
      OF_PROCESS('notes/here'),
    );
    const below = await open({ tools: [run({ cmd: 'pwd', args: [], workingDir: 'notes/{{dir}}' })] });
    expect(await call(below, 'show', { dir: 'deep' })).toBe(`${folder}/notes/deep\n`);
    expect(await call(below, 'show', { dir: 'out' })).toBe(OUTSIDE('out'));
    expect(await call(below, 'show', { dir: '..' })).toBe(OUTSIDE('..'));
  });
});

describe('a command in a sandbox', needs('sandbox'), () => {
  const policy = { roots: ['.'], approval: { global: 'none' } };

  it('starts relative paths where the sandbox puts it', async () => {
    // The board's folder is not inside: bubblewrap goes to the top, where etc/passwd is another file than here.
    const boxed = await open({ policy, tools: [{ ...cat, sandbox: 'bwrap' }] }, { env: { PATH: process.env['PATH'] } });
    expect(await call(boxed, 'show', { file: 'etc/passwd' })).toBe(
      'invalid_arguments: must lie in an allowed folder ("."); got "etc/passwd"',
    );
    const inside = { type: 'bwrap', read: ['.'] };
    const board = await open({ policy, tools: [{ ...cat, sandbox: inside }] });
    expect(await call(board, 'show', { file: 'notes/todo' })).toBe('buy milk');
    expect(await call(board, 'show', { file: '/proc/self/cwd/notes/todo' })).toBe(
      OF_PROCESS('/proc/self/cwd/notes/todo'),
    );
  });
});

describe('a tool whose kind cannot say which arguments are paths', () => {
  const http = (more: Json): Json => ({
    name: 'fetch',
    description: 'Fetches.',
    type: 'http',
    risk: 'read',
    requests: [{ url: 'http://127.0.0.1:9/{{file}}' }],
    schema: { properties: { file } },
    ...more,
  });

  it('is refused, though its schema marks one, and validate says what to write', async () => {
    const board = await open({ tools: [http({}), cat] });
    expect(namesOf(board)).not.toContain('fetch');
    expect(board.diagnostics.map(({ severity, path, message }) => [severity, path.join('.'), message])).toEqual([
      [
        'warning',
        'policy.roots',
        'refuses "fetch", because it is unknown which arguments are paths. Write paths: [NAME, …] in the entry of the tool, or paths: [] when none is.',
      ],
    ]);
  });

  it('is not refused when it takes no arguments: then it takes no path', async () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    const server = (schema: Json): Json => fixture('named-server.ts', 'beat', '--schema', JSON.stringify(schema));
    const board = await open({
      tools: [http({ requests: [{ url: 'http://127.0.0.1:9/' }], schema: {} })],
      mcpServers: { closed: server(closed), open: server({ type: 'object' }) },
    });
    expect(namesOf(board)).toEqual(['fetch', 'closed__beat']);
    expect(await call(board, 'fetch', { file: '/etc/passwd' })).toBe(
      'invalid_arguments: is not a known argument. None are known.',
    );
    expect((await board.call('closed__beat', { file: '/etc/passwd' })).error?.code).toBe('invalid_arguments');
    expect((await board.call('closed__beat', {})).ok).toBe(true);
  });

  it('is one of an http service: what it names is checked, what it does not is not', async () => {
    const seen: (string | undefined)[] = [];
    const service = createServer((request, response) => {
      seen.push(request.url);
      response.end('served');
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void service.close());
    // A server that listens on a port has such an address.
    const { port } = service.address() as AddressInfo;
    const requests = [{ url: `http://127.0.0.1:${port}/`, query: { file: '{{file}}', other: '{{other:-}}' } }];
    const schema = { properties: { file: { type: 'string' }, other: { type: 'string' }, marked: file } };
    const allow = { allow_hosts: [`127.0.0.1:${port}`] };
    const board = await open({ tools: [http({ ...allow, requests, schema, paths: ['file'] })] });
    expect(await call(board, 'fetch', { file: join(folder, 'notes/todo'), other: '/etc/passwd' })).toBe('served');
    expect(await call(board, 'fetch', { file: '/etc/passwd' })).toBe(OUTSIDE('/etc/passwd'));
    expect(await call(board, 'fetch', { file: 'notes/todo' })).toBe(RELATIVE('notes/todo'));
    expect(await call(board, 'fetch', { file: '/proc/self/cwd' })).toBe(OF_PROCESS('/proc/self/cwd'));
    expect(await call(board, 'fetch', { file: join(folder, 'notes/todo'), marked: '/etc/passwd' })).toBe(
      OUTSIDE('/etc/passwd'),
    );
    expect(seen).toHaveLength(1);
  });

  it('is one of a server: per server, per tool, and as an entry of its own', async () => {
    const schema = {
      type: 'object',
      properties: { path: { type: 'string' }, to: { type: 'object' }, list: { type: 'array' } },
    };
    const files = fixture('named-server.ts', 'read', 'move', 'count', '--schema', JSON.stringify(schema));
    const silent = await open({ mcpServers: { files } });
    expect(namesOf(silent)).toEqual([]);
    expect(silent.diagnostics.map(({ message }) => message)).toContain(
      'refuses 3 tools: "files__read", "files__move", "files__count", because it is unknown which arguments are paths. Write paths: [NAME, …] under mcpServers, for the server "files" or for single tools, or paths: [] when none is.',
    );
    const board = await open({
      mcpServers: {
        files: {
          ...files,
          cwd: 'notes',
          paths: ['path', 'list'],
          tools: { move: { paths: ['path', 'to.file'] }, count: { paths: [] } },
        },
        far: { ...files, include: ['read'] },
      },
      tools: [
        { name: 'look', type: 'mcp', server: 'far', tool: 'read', paths: ['path'] },
        { name: 'blind', type: 'mcp', server: 'far', tool: 'read' },
      ],
    });
    expect(namesOf(board)).toEqual(['look', 'files__read', 'files__move', 'files__count']);
    const passed = (name: string, args: Json): Promise<string> => call(board, name, args);
    // The server runs in notes.
    expect(await passed('files__read', { path: 'todo' })).toBe('server: read {"path":"todo"}');
    expect(await passed('files__read', { path: '../outside' })).toBe(OUTSIDE('../outside'));
    expect(await passed('files__read', { path: '/proc/self/cwd/todo' })).toBe(OF_PROCESS('/proc/self/cwd/todo'));
    expect(await passed('files__read', { list: ['todo', 'out/key'] })).toBe(OUTSIDE('out/key'));
    expect(await passed('files__read', { path: { file: 'todo' } })).toMatch(/^invalid_arguments: must be/);
    expect(await passed('files__move', { path: 'todo', to: { file: '/etc/x' } })).toBe(OUTSIDE('/etc/x'));
    expect(await passed('files__move', { path: 'todo', to: { other: '/etc/x' } })).toMatch(/^server: move/);
    expect(await passed('files__count', { path: '/etc/passwd' })).toMatch(/^server: count/);
    expect(await passed('look', { path: 'notes/todo' })).toBe('server: read {"path":"notes/todo"}');
    expect(await passed('look', { path: 'outside' })).toBe(OUTSIDE('outside'));
  });

  it('is one of a script, which runs in the folder of the board itself', async () => {
    const script = join(folder, 'tools.ts');
    const tool = (name: string, paths: string): string =>
      `export const ${name} = { metadata: { name: '${name}', description: 'Does.', risk: 'read'${paths} }, schema: { type: 'object', properties: { file: { type: 'string' }, to: { type: 'string' } } }, execute: ({ file }) => file };\n`;
    writeFileSync(script, tool('silent', '') + tool('saying', ", paths: ['file']"));
    const board = await open({ tools: [{ type: 'script', file: 'tools.ts' }] });
    expect(namesOf(board)).toEqual(['saying']);
    expect(board.diagnostics.map(({ message }) => message)).toEqual([
      'refuses "silent", because it is unknown which arguments are paths. Write paths: [NAME, …] in the entry of its script, or in the metadata of a tool in code, or paths: [] when none is.',
    ]);
    expect(await call(board, 'saying', { file: '/etc/passwd' })).toBe(OUTSIDE('/etc/passwd'));
    expect(await call(board, 'saying', { file: 'notes/todo' })).toBe(OUTSIDE('notes/todo'));
    expect(await call(board, 'saying', { file: join(folder, 'notes/todo') })).toBe(join(folder, 'notes/todo'));
    const both = await open({ tools: [{ type: 'script', file: 'tools.ts', paths: ['to'] }] });
    expect(namesOf(both)).toEqual(['silent', 'saying']);
    expect(await call(both, 'silent', { file: '/etc/passwd', to: '/etc/passwd' })).toBe(OUTSIDE('/etc/passwd'));
    expect(await call(both, 'silent', { file: '/etc/passwd' })).toBe('/etc/passwd');
    expect(await call(both, 'saying', { file: '/etc/passwd' })).toBe(OUTSIDE('/etc/passwd'));
  });

  it('is one that code adds later', async () => {
    const { registry } = await open({ tools: [cat] });
    const schema = { type: 'object', properties: { file } } as const;
    const make = (name: string, paths?: readonly string[]) =>
      defineTool({ name, description: 'Does.', schema, risk: 'read', ...(paths && { paths }), execute: () => 'done' });
    registry.registerMany([make('silent'), make('saying', [])]).register(make('show'), { override: true });
    for (const name of ['silent', 'show']) {
      expect((await registry.call(name, { file: 'notes/todo' })).error).toMatchObject({
        code: 'permission_denied',
        message: `The policy does not allow "${name}": the policy has roots, and it is unknown which arguments of the tool are paths. Do not call it again: use another tool, or tell the user what you need it for.`,
      });
    }
    expect((await registry.call('saying', {})).text).toBe('done');
    expect((await registry.call('saying', { file: '/etc/passwd' })).error?.code).toBe('invalid_arguments');
  });

  it('is one of a CLImax file, unless it says', async () => {
    const climax = (more: Json): string => {
      const path = join(folder, `climax-${++files}.yaml`);
      const args = [{ name: 'file', positional: true, required: true }];
      writeFileSync(
        path,
        JSON.stringify({ name: 'c', command: 'cat', tools: [{ name: 'show', description: 'Shows.', args, ...more }] }),
      );
      return path;
    };
    expect(namesOf(await open({ import: climax({}) }))).not.toContain('show');
    const board = await open({ import: climax({ paths: ['file'] }) });
    expect(await call(board, 'show', { file: 'notes/todo' })).toBe('buy milk');
    expect(await call(board, 'show', { file: 'outside' })).toBe(OUTSIDE('outside'));
  });
});

it('a path of a command in a container is refused, for other files are there', async () => {
  const docker = join(folder, 'docker.yaml');
  const executor = { type: 'docker', image: 'alpine:3' };
  writeFileSync(docker, JSON.stringify({ executor, default: 'enabled', tools: {}, approval: { global: 'none' } }));
  const board = await open({ tools: [cat], import: docker });
  expect(await call(board, 'show', { file: 'notes/todo' })).toBe(
    'invalid_arguments: cannot be checked: the command runs in a container with other files; got "notes/todo"',
  );
});

describe('without a word about paths', () => {
  it("the board's own tools and knowledge bases stay usable", async () => {
    const board = await open(
      { tools: [cat, { name: 'docs', type: 'rag', description: 'The docs.', collection: 'docs' }] },
      { discoveryTools: true },
    );
    expect(namesOf(board)).toEqual(['show', 'docs-search', 'docs-store', 'search_tools', 'call_tool', 'describe_tool']);
    expect((await board.call('search_tools', { query: 'show a file' })).ok).toBe(true);
    expect((await board.call('output_read', { id: 'x' })).error?.code).not.toBe('permission_denied');
    expect((await board.call('call_tool', { name: 'show', arguments: { file: 'outside' } })).error).toMatchObject({
      code: 'invalid_arguments',
      field: 'file',
    });
    expect(board.diagnostics).toEqual([]);
  });

  it('nothing is refused where the policy has no roots', async () => {
    const tool = { name: 'fetch', description: 'Fetches.', type: 'http', requests: [{ url: 'http://127.0.0.1:9/' }] };
    expect(namesOf(await open({ tools: [tool], policy: {} }))).toEqual(['fetch']);
  });
});

it('a wrong name under paths is told, for it leaves a path unchecked', async () => {
  const board = await open({ tools: [{ ...cat, paths: ['fil', 'in'] }] });
  expect(board.diagnostics.map(({ message }) => message)).toEqual([
    'paths: the tool "show" has no argument "fil". Did you mean "file"?',
  ]);
});

describe('tools that say nothing about paths', () => {
  const silent = (name: string, more: Json): Json => ({ name, description: 'Prints.', risk: 'read', ...more });

  it('are refused where an argument may be one, and say why', async () => {
    const board = await open({
      tools: [
        silent('text', { type: 'cli', command: 'cat', args: [{ name: 'file', positional: true }] }),
        silent('list', { type: 'cli', command: 'cat', args: [{ name: 'file', type: 'array', positional: true }] }),
        silent('wide', { type: 'cli', command: 'cat', args: [{ name: 'file', positional: true, pattern: '.*' }] }),
        silent('steps', {
          type: 'run',
          schema: { properties: { file: { type: 'string' } } },
          commands: [{ cmd: 'cat', args: ['{{file}}'] }],
        }),
      ],
    });
    expect(namesOf(board)).toEqual([]);
    const { error, text } = await board.call('text', { file: '/etc/hostname' });
    expect(error?.code).toBe('not_found');
    expect(text).toMatch(
      /^The tool "text" is refused: the policy has roots, and it is unknown which arguments of the tool are paths \(.*\)\. Write paths: \[NAME, …\] in the entry of the tool, or paths: \[\] when none is\.$/,
    );
  });

  it('are there where no argument can be one', async () => {
    const args = (arg: Json): Json => ({ type: 'cli', command: 'echo', args: [{ name: 'value', ...arg }] });
    const board = await open({
      tools: [
        silent('number', args({ type: 'integer' })),
        silent('choice', args({ enum: ['a', 'b'] })),
        silent('narrow', args({ pattern: '[a-z0-9-]+' })),
        silent('contents', args({ type: 'file', positional: true })),
        silent('input', args({ stdin: true })),
        silent('said', args({ path: false })),
        silent('listed', { ...args({}), paths: [] }),
        silent('steps', {
          type: 'run',
          schema: { properties: { count: { type: 'integer' }, day: { type: 'string', format: 'date' } } },
          commands: [{ cmd: 'echo', args: ['{{count}}', '{{day}}'] }],
        }),
        silent('request', {
          type: 'http',
          schema: { properties: { id: { type: 'integer' } } },
          requests: [{ method: 'GET', url: 'http://127.0.0.1:9/{{id}}' }],
        }),
      ],
    });
    expect(namesOf(board)).toEqual([
      'number',
      'choice',
      'narrow',
      'contents',
      'input',
      'said',
      'listed',
      'steps',
      'request',
    ]);
  });
});
