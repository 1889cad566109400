// Every kind of config entry, by the contract that `pegboard/testing` gives to those who write another.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixtureFile } from './cli-program.test-helper.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestContext } from '../src/cli/shared/cli-context.test-helper.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { BUILT_IN_KINDS } from '../src/kinds/built-in-kinds.ts';
import { cli } from '../src/kinds/cli/kind.ts';
import { http } from '../src/kinds/http/kind.ts';
import { mcp } from '../src/kinds/mcp/kind.ts';
import { program } from '../src/kinds/program/kind.ts';
import { rag } from '../src/kinds/rag/kind.ts';
import { run } from '../src/kinds/run/kind.ts';
import { script } from '../src/kinds/script/kind.ts';
import { kindContract, type KindSubject } from '../src/testing.ts';
import { KIND_SECRET } from '../src/testing/contracts/kind-subject.ts';
import { testContract } from '../src/testing/contracts/test-contract.test-helper.ts';

let server: Server;
let origin = '';
/** The paths that were asked for. */
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    asked.push(pathname);
    if (pathname === '/slow') return;
    if (pathname === '/echo') return void request.pipe(response);
    response.statusCode = pathname === '/missing' ? 404 : 200;
    response.end(`hello ${searchParams.get('name')} ${request.headers.authorization ?? ''}`);
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const schema = 'schema: { properties: { name: { type: string } }, required: [name] }';
const good = { input: { name: 'Ada' }, wrong: { name: { first: 'Ada' } } };
const node = JSON.stringify(process.execPath);
const oddServer = JSON.stringify(fixtureFile('odd-server'));
const files = { 'sub/note.txt': 'a note of sub' };
const outside = { path: '/etc/hostname' };

const KINDS: Readonly<Record<string, () => KindSubject>> = {
  cli: () => ({
    ...good,
    kind: cli,
    tool: 'greet',
    answer: 'hello Ada',
    files,
    board: `tools:
  - { name: greet, type: cli, description: Greet a person, command: echo hello, paths: [], args: [{ name: name, positional: true, required: true }] }
  - { name: fail, type: cli, description: Fail, command: 'false' }
  - { name: wait, type: cli, description: Wait, command: sleep 100 }
  - { name: touch, type: cli, description: Make a file, working_dir: sub, command: touch made.txt }
`,
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      { board: 'tools:\n  - { name: greet, type: cli, description: Greet, command: 7 }\n', path: 'tools[0].command' },
      { board: 'tools:\n  - { name: greet, type: cli, description: Greet }\n', path: 'tools[0].command' },
    ],
    roots: {
      board: `tools:
  - { name: read, type: cli, description: Read, working_dir: sub, command: cat, args: [{ name: path, positional: true, required: true, path: true }] }
`,
      inside: { tool: 'read', input: { path: 'note.txt' } },
      outside: { tool: 'read', input: outside },
    },
    acts: { tool: 'touch', input: {} },
    relative: {
      board: 'tools:\n  - { name: read, type: cli, description: Read, working_dir: sub, command: cat note.txt }\n',
      tool: 'read',
      input: {},
      answer: 'a note of sub',
    },
    changed: {
      board:
        'tools:\n  - { name: greet, type: cli, description: Greet, command: echo good morning, args: [{ name: name, positional: true }] }\n',
      answer: 'good morning Ada',
    },
    secret: {
      board:
        "tools:\n  - { name: tell, type: cli, description: Tell, command: [sh, -c, 'echo $A_TOKEN $0', '${KIND_TOKEN}'], env: { A_TOKEN: '${KIND_TOKEN}' } }\n",
      tool: 'tell',
      input: {},
    },
    missing: {
      board: 'tools:\n  - { name: none, type: cli, description: None, command: no-such-program }\n',
      name: 'no-such-program',
    },
  }),
  run: () => ({
    ...good,
    kind: run,
    tool: 'greet',
    answer: 'hello Ada',
    files,
    board: `tools:
  - { name: greet, type: run, description: Greet a person, ${schema}, commands: [{ cmd: echo, args: [hello, '{{name}}'] }] }
  - { name: fail, type: run, description: Fail, commands: [{ cmd: 'false' }] }
  - { name: wait, type: run, description: Wait, commands: [{ cmd: sleep, args: ['100'] }] }
  - { name: touch, type: run, description: Make a file, commands: [{ cmd: touch, args: [made.txt], workingDir: sub }] }
`,
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      {
        board: `tools:\n  - { name: greet, type: run, description: Greet, commands: [{ cmd: echo, args: ['{{person}}'] }] }\n`,
        path: 'tools[0].commands[0].args[0]',
      },
    ],
    roots: {
      board: `tools:
  - { name: read, type: run, description: Read, working_dir: sub, schema: { properties: { path: { type: string, format: path } }, required: [path] }, commands: [{ cmd: cat, args: ['{{path}}'] }] }
`,
      inside: { tool: 'read', input: { path: 'note.txt' } },
      outside: { tool: 'read', input: outside },
    },
    acts: { tool: 'touch', input: {} },
    relative: {
      board:
        'tools:\n  - { name: read, type: run, description: Read, commands: [{ cmd: cat, args: [note.txt], workingDir: sub }] }\n',
      tool: 'read',
      input: {},
      answer: 'a note of sub',
    },
    changed: {
      board: `tools:\n  - { name: greet, type: run, description: Greet, ${schema}, commands: [{ cmd: echo, args: [good, morning, '{{name}}'] }] }\n`,
      answer: 'good morning Ada',
    },
    secret: {
      board:
        "tools:\n  - { name: tell, type: run, description: Tell, commands: [{ cmd: sh, args: [-c, 'echo $A_TOKEN $0', '${KIND_TOKEN}'] }], env: { A_TOKEN: '${KIND_TOKEN}' } }\n",
      tool: 'tell',
      input: {},
    },
    missing: {
      board: 'tools:\n  - { name: none, type: run, description: None, commands: [{ cmd: no-such-program }] }\n',
      name: 'no-such-program',
    },
  }),
  http: () => ({
    ...good,
    kind: http,
    tool: 'greet',
    answer: 'hello Ada',
    board: `tools:
  - { name: greet, type: http, description: Greet a person, ${schema}, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/', query: { name: '{{name}}' } }] }
  - { name: miss, type: http, description: Miss, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/missing' }] }
  - { name: wait, type: http, description: Wait, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/slow' }] }
`,
    failing: { tool: 'miss', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      {
        board: `tools:\n  - { name: greet, type: http, description: Greet, requests: [{ url: 'ftp://example.com/' }] }\n`,
        path: 'tools[0].requests[0].url',
      },
    ],
    roots: {
      board: `tools:
  - { name: send, type: http, description: Send, paths: [name], ${schema}, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/', query: { name: '{{name}}' } }] }
  - { name: none, type: http, description: Send, paths: [], ${schema}, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/', query: { name: '{{name}}' } }] }
  - { name: untold, type: http, description: Send, ${schema}, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/', query: { name: '{{name}}' } }] }
`,
      inside: { tool: 'none', input: { name: 'Ada' } },
      outside: { tool: 'send', input: { name: '/etc/hostname' } },
      untold: { tool: 'untold', input: { name: 'Ada' } },
    },
    acts: { input: good.input, trace: () => asked.length },
    files,
    relative: {
      board: `tools:\n  - { name: send, type: http, description: Send, upload_from: sub, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/echo', multipart: { note: { path: note.txt } } }] }\n`,
      tool: 'send',
      input: {},
      answer: 'a note of sub',
    },
    changed: {
      board: `tools:\n  - { name: greet, type: http, description: Greet, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/?name=all' }] }\n`,
      input: {},
      answer: 'hello all',
    },
    secret: {
      board: `tools:\n  - { name: tell, type: http, description: Tell, allow_hosts: [127.0.0.1], requests: [{ url: '${origin}/?name=\${KIND_TOKEN}', headers: { Authorization: 'Bearer \${KIND_TOKEN}' }, body: '\${KIND_TOKEN}', method: POST }] }\n`,
      tool: 'tell',
      input: {},
    },
    missing: {
      board: `tools:\n  - { name: none, type: http, description: None, requests: [{ url: 'https://no-such-host.invalid/' }] }\n`,
      name: 'no-such-host.invalid',
    },
  }),
  script: () => ({
    ...good,
    kind: script,
    tool: 'greet',
    answer: 'hello Ada',
    files: {
      'tools.ts': scriptOf('hello'),
      'other.ts': scriptOf('good morning'),
      'paths.ts': `import { readFileSync, writeFileSync } from 'node:fs';
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const execute = ({ path }: { path: string }) => readFileSync(path, 'utf8');
export const read = { metadata: { name: 'read', description: 'Reads', paths: ['path'] }, schema, execute };
export const untold = { metadata: { name: 'untold', description: 'Reads' }, schema, execute };
`,
    },
    board: 'tools:\n  - { type: script, file: ./tools.ts }\n',
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [{ board: 'tools:\n  - { type: script, file: ./none.ts }\n', path: 'tools[0]' }],
    roots: {
      board: 'tools:\n  - { type: script, file: ./paths.ts }\n',
      outside: { tool: 'read', input: outside },
      untold: { tool: 'untold', input: { path: 'sub/note.txt' } },
    },
    acts: { tool: 'count', input: {}, trace: () => Reflect.get(globalThis, 'kindCounts') },
    relative: { board: 'tools:\n  - { type: script, file: ./other.ts }\n', answer: 'good morning Ada' },
    changed: { board: 'tools:\n  - { type: script, file: ./other.ts }\n', answer: 'good morning Ada' },
    secret: {
      board:
        "tools:\n  - { type: script, file: ./tools.ts }\n  - { name: x, type: cli, description: X, command: echo, env: { A_TOKEN: '${KIND_TOKEN}' } }\n",
      input: { name: KIND_SECRET },
    },
    missing: { board: 'tools:\n  - { type: script, file: ./none.ts }\n', name: 'none.ts' },
  }),
  program: () => ({
    ...good,
    kind: program,
    tool: 'greet',
    answer: 'hello Ada',
    files: {
      ...files,
      'greet.ts': 'return (await tools.say({ text: `hello ${input.name as string}` })).trim();',
      'sub/morning.ts': 'return `good morning ${input.name}`;',
      'fail.ts': 'throw new Error("no");',
      'wait.ts': 'await sleep(60_000);',
      'touch.ts': 'await tools.touch({});',
      'read.ts': 'return tools.cat({ path: input.path });',
      'wrong.ts': 'return (;',
    },
    board: `policy: { approval: { global: none } }
tools:
  - { name: say, type: cli, description: Say, command: echo, risk: read, paths: [], args: [{ name: text, positional: true, required: true }] }
  - { name: touch, type: cli, description: Make a file, command: touch made.txt }
  - { name: greet, type: program, description: Greet a person, file: greet.ts, tools: [say], ${schema} }
  - { name: fail, type: program, description: Fail, file: fail.ts }
  - { name: wait, type: program, description: Wait, file: wait.ts }
  - { name: make, type: program, description: Make a file, file: touch.ts }
`,
    failing: { tool: 'fail', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [
      {
        board: 'tools:\n  - { name: greet, type: program, description: Greet, file: none.ts }\n',
        path: 'tools[0].file',
      },
      {
        board: 'tools:\n  - { name: greet, type: program, description: Greet, file: wrong.ts }\n',
        path: 'tools[0].file',
      },
      {
        board:
          'tools:\n  - { name: greet, type: program, description: Greet, file: greet.ts, limits: { memory: 1 } }\n',
        path: 'tools[0].limits',
      },
    ],
    roots: {
      board: `tools:
  - { name: cat, type: cli, description: Read, command: cat, risk: read, args: [{ name: path, positional: true, required: true, path: true }] }
  - { name: read, type: program, description: Read, file: read.ts, paths: [path], schema: { properties: { path: { type: string } } } }
`,
      inside: { tool: 'read', input: { path: 'sub/note.txt' } },
      outside: { tool: 'read', input: outside },
    },
    acts: { tool: 'make', input: {} },
    relative: {
      board: `tools:\n  - { name: greet, type: program, description: Greet, file: sub/morning.ts, ${schema} }\n`,
      answer: 'good morning Ada',
    },
    changed: {
      board: `tools:\n  - { name: greet, type: program, description: Greet, file: sub/morning.ts, ${schema} }\n`,
      answer: 'good morning Ada',
    },
    secret: {
      board: `tools:
  - { name: greet, type: program, description: Greet, file: sub/morning.ts, ${schema} }
  - { name: x, type: cli, description: X, command: echo, env: { A_TOKEN: '\${KIND_TOKEN}' } }
`,
      input: { name: KIND_SECRET },
    },
    missing: {
      board: 'tools:\n  - { name: greet, type: program, description: Greet, file: none.ts }\n',
      name: 'none.ts',
    },
  }),
  rag: () => ({
    kind: rag,
    tool: 'notes-store',
    input: { content: 'The fox is red.' },
    wrong: { content: 7 },
    answer: 'knowledge base',
    board: `rag: { collections: { notes: { description: What was noted } } }
tools:
  - { name: notes, type: rag, description: Notes of all kinds, collection: notes }
`,
    broken: [
      {
        board: 'tools:\n  - { name: notes, type: rag, description: Notes, collection: notes, operations: [serch] }\n',
        path: 'tools[0].operations',
      },
    ],
    acts: { input: { content: 'The dog is brown.' } },
    changed: {
      board: 'tools:\n  - { name: notes, type: rag, description: Other notes, collection: others }\n',
      tool: 'notes-search',
      input: { query: 'fox' },
      answer: 'No',
    },
    secret: {
      board: `rag: { servers: { default: { driver: sqlite, api_key: '\${KIND_TOKEN}' } }, collections: { notes: {} } }
tools:
  - { name: notes, type: rag, description: Notes, collection: notes }
`,
      tool: 'notes-search',
      input: { query: KIND_SECRET },
    },
  }),
  mcp: () => ({
    kind: mcp,
    tool: 'say',
    input: { text: 'hello Ada' },
    answer: 'hello Ada',
    board: `mcpServers: { odd: { command: ${node}, args: [${oddServer}, --calls, calls.txt] } }
tools:
  - { name: say, type: mcp, server: odd, tool: echo, description: Say it again }
  - { name: fall, type: mcp, server: odd, tool: crash, description: Fall over }
  - { name: wait, type: mcp, server: odd, tool: slow, description: Wait }
`,
    failing: { tool: 'fall', input: {} },
    slow: { tool: 'wait', input: {} },
    broken: [{ board: 'tools:\n  - { name: say, type: mcp, server: none, tool: echo }\n', path: 'tools[0].server' }],
    roots: {
      board: `mcpServers: { odd: { command: ${node}, args: [${oddServer}] } }
tools:
  - { name: read, type: mcp, server: odd, tool: echo, description: Read, paths: [text] }
  - { name: untold, type: mcp, server: odd, tool: echo, description: Read }
`,
      inside: { tool: 'read', input: { text: 'note.txt' } },
      outside: { tool: 'read', input: { text: '/etc/hostname' } },
      untold: { tool: 'untold', input: { text: 'note.txt' } },
    },
    acts: { input: { text: 'hello Ada' } },
    changed: {
      board: `mcpServers: { odd: { command: ${node}, args: [${oddServer}] } }
tools:
  - { name: say, type: mcp, server: odd, tool: env, description: Show the environment }
`,
      input: {},
      answer: 'PATH',
    },
    secret: {
      board: `mcpServers: { odd: { command: ${node}, args: [${oddServer}], env: { A_TOKEN: '\${KIND_TOKEN}' } } }
tools:
  - { name: env, type: mcp, server: odd, description: Show the environment }
`,
      tool: 'env',
      input: {},
    },
  }),
};

function scriptOf(greeting: string): string {
  return `const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const tool = (name: string, more: object) => ({ metadata: { name, description: 'Does ' + name }, schema: { type: 'object' }, ...more });
export const greet = tool('greet', { schema, execute: ({ name }: { name: string }) => '${greeting} ' + name });
export const fail = tool('fail', { execute: () => { throw new Error('broken'); } });
export const wait = tool('wait', { execute: () => new Promise(() => {}) });
export const count = tool('count', { execute: () => { globalThis.kindCounts = (globalThis.kindCounts ?? 0) + 1; } });
`;
}

it('runs the contract for every kind that is built in', () => {
  expect(Object.keys(KINDS).toSorted()).toEqual(BUILT_IN_KINDS.map(({ type }) => type).toSorted());
  for (const kind of BUILT_IN_KINDS) expect(KINDS[kind.type]?.().kind).toBe(kind);
});

describe.each(Object.entries(KINDS))('the kind %s', (_, subject) => {
  // The names do not depend on the server, which starts later; what is run does.
  const checks = kindContract(subject()).map(({ name }, index) => ({
    name,
    check: async () => kindContract(subject())[index]?.check(),
  }));
  testContract(checks);
});

/** Runs commands in a folder with files, and gives all that each printed. */
async function runIn(files: Readonly<Record<string, string | Uint8Array>>, ...commands: string[][]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-kinds-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const printed: string[] = [];
  for (const command of commands) {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
      KIND_TOKEN: KIND_SECRET,
    };
    const context = createTestContext({ cwd: folder, env });
    await runCli([...command, '--file', 'pegboard.yaml'], context);
    const { stdout, stderr } = context.printed();
    printed.push(`${stdout}${stderr}`);
  }
  return printed;
}

describe.each(Object.entries(KINDS))('the command line, for the kind %s', (type, subject) => {
  it('prints no secret', async () => {
    const { files: beside = {}, tool, input, secret } = subject();
    const name = secret.tool ?? tool;
    const args = ['--args', JSON.stringify(secret.input ?? input)];
    const board = { ...beside, 'pegboard.yaml': secret.board };
    const [shown = '', ...others] = await runIn(
      board,
      ['show', name, '--wait'],
      ['call', name, ...args],
      ['call', name, ...args, '--dry-run'],
      ['call', name, ...args, '--dry-run', '--json'],
      ['doctor'],
      ['list', '--json'],
      ['export', '--format', 'mcp'],
    );
    expect(shown).toMatch(new RegExp(`kind +${type}\n`));
    for (const text of [shown, ...others]) {
      expect(text).not.toBe('');
      expect(text).not.toContain(KIND_SECRET);
    }
  });
});

const src = pathToFileURL(join(import.meta.dirname, '../src')).href;
/** A kind that says nothing that it need not say. */
const BARE = `
import { defineKind } from '${src}/kinds/define-kind.ts';
import { definePlugin } from '${src}/load/plugins/define-plugin.ts';
import { defineTool } from '${src}/tool/define/define-tool.ts';
const bare = defineKind({
  type: 'bare',
  schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  tools: ({ metadata, settings }) => [
    defineTool({ ...metadata, risk: 'read', schema: { type: 'object', properties: { file: { type: 'string' } } }, execute: () => settings.word }),
  ],
});
export default definePlugin({ kinds: [bare] });
`;

describe('a kind that leaves out what it may', () => {
  const tools = 'plugins: [./bare.ts]\ntools: [{ name: say, type: bare, description: Says a word, word: hello }]\n';

  it('says on the command line what is not known', async () => {
    const [listed, called, dry, shown, doctor] = await runIn(
      { 'bare.ts': BARE, 'pegboard.yaml': tools },
      ['list', '--trust'],
      ['call', 'say'],
      ['call', 'say', '--dry-run'],
      ['show', 'say', '--trust'],
      ['doctor', '--trust'],
    );
    expect(listed).toBe('say\tpegboard\tread\tSays a word\n');
    expect(called).toBe('hello\n');
    expect(dry).toBe('say\nnothing to show: only its own code or server knows what a call does\n');
    expect(shown).toMatch(/^runs +unknown: the kind "bare" does not describe it$/m);
    expect(doctor).toMatch(/^warning +tool +say +the kind "bare" does not report its needs \(say\)$/m);
  });

  it('has the doctor say that a plugin was not looked at', async () => {
    const [doctor] = await runIn({ 'bare.ts': BARE, 'pegboard.yaml': tools }, ['doctor']);
    expect(doctor).toMatch(
      /^warning +config +pegboard\.yaml +the plugin "\.\/bare\.ts" is not loaded, .* pegboard trust/m,
    );
  });

  it.each([
    [
      "[{ need: 'own', kind: 'database', name: 'db', status: 'critical', detail: 'is gone' }]",
      'warning +tool +db +is gone \\(the kind "bare" returned the status "critical"; it must be one of: ok, warning, missing\\) \\(say\\)',
    ],
    [
      "[{ need: 'money' }]",
      'warning +tool +say +the kind "bare" returned the need "money"\\. Use one of: command, host,',
    ],
    [
      "[{ need: 'command' }]",
      'warning +tool +say +the kind "bare" returned a finding with the need "command" without a name',
    ],
    ["'all is well'", 'warning +tool +say +the kind "bare" must return a list of findings; it returned "all is well"'],
    ['[null]', 'warning +tool +say +the kind "bare" returned null as a finding'],
  ])('has the doctor warn of findings in another form: %s', async (findings, expected) => {
    const odd = BARE.replace("type: 'bare',", `type: 'bare',\n  doctor: () => ${findings},`);
    const [doctor] = await runIn({ 'bare.ts': odd, 'pegboard.yaml': tools }, ['doctor', '--trust']);
    expect(doctor).toMatch(new RegExp(`^${expected}`, 'm'));
    expect(doctor).toContain('Everything the tools need is there.');
  });

  it('is refused under roots, unless its entry says which arguments are paths', async () => {
    const policy = 'policy: { roots: [.], approval: { global: none } }\n';
    const told = tools.replace('word: hello', 'word: hello, paths: [file]');
    const call = (file: string): string[] => ['call', 'say', '--arg', `file=${file}`];
    const [refused] = await runIn({ 'bare.ts': BARE, 'pegboard.yaml': `${tools}${policy}` }, call('a.txt'));
    expect(refused).toContain('refuses "say", because it is unknown which arguments are paths.');
    expect(refused).toContain('The tool "say" is refused: the policy has roots');
    const folder = realpathSync(tmpdir());
    const [outside, inside] = await runIn(
      { 'bare.ts': BARE, 'pegboard.yaml': `${told}${policy.replace('roots: [.]', `roots: [${folder}]`)}` },
      call('/etc/hostname'),
      call(join(folder, 'a.txt')),
    );
    expect(outside).toContain('invalid_arguments');
    expect(inside).toBe('hello\n');
  });
});
