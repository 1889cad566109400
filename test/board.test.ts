// Config files as boards: real commands, real repositories, a loopback server, every dialect.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateSchemas } from '../scripts/config-schemas.ts';
import { BUILT_IN_KINDS } from '../src/kinds/built-in-kinds.ts';
import { formatBoardSchema } from '../src/load/board-file-schema.ts';
import { openBoard } from '../src/board/open-board.ts';
import type { Board } from '../src/board/board.ts';
import { loadFile } from '../src/load/load-file.ts';
import { entryFile } from './cli-program.test-helper.ts';
import { needs } from './needs.test-helper.ts';

const root = join(import.meta.dirname, '..');
const fixtures = join(import.meta.dirname, 'fixtures');
const top = mkdtempSync(join(tmpdir(), 'pegboard-board-'));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
const boards: Board[] = [];

async function open(files: string | string[], options: Parameters<typeof openBoard>[1] = {}): Promise<Board> {
  const board = await openBoard(files, { cwd: folder, data: join(top, 'data'), ...options });
  boards.push(board);
  return board;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

let server: Server;
let origin: string;
const requests: {
  method: string | undefined;
  url: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}[] = [];

beforeAll(async () => {
  git('init', '-q', '-b', 'main');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'first commit');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      if (request.url === '/missing') response.writeHead(404).end('no such page');
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ path: request.url }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  origin = typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
});
afterAll(async () => {
  await Promise.all(boards.map((board) => board.close()));
  server.close();
  rmSync(top, { recursive: true, force: true });
});

describe('a CLImax file', () => {
  it('runs git in a real repository', async () => {
    const board = await open(join(fixtures, 'climax/git.yaml'));
    const log = await board.call('git_log', { oneline: true, directory: folder });
    expect(log.text).toMatch(/^[0-9a-f]+ first commit\n$/);
    const failed = await board.call('git_show_file', { object: 'HEAD:nothing' });
    expect(failed.error?.code).toBe('execution_failed');
    expect(failed.text).toMatch(/\[stderr\]\n(?:.|\n)*\n\[exit code: 128\]$/);
    expect((await board.call('git_hash', { content: 'hello\n' })).text).toBe(
      'ce013625030ba8dba906f756967f9e9ca394464a\n',
    );
    expect((await board.call('git_show_file', { object: '--output=/tmp/x' })).error).toMatchObject({
      code: 'invalid_arguments',
      field: 'object',
    });
    expect(board.index.summary()[0]).toEqual({
      name: 'git-tools',
      description: 'Look at and change a git repository',
      toolCount: 4,
      category: 'vcs',
      tags: ['version-control', 'commits'],
    });
    expect(board.index.search({ query: 'COMMITS', cli: 'Git-Tools' })).toHaveLength(4);
    expect(board.index.rank('what has changed?').hits[0]?.name).toBe('git_status');
    expect(board.registry.get('git_log')?.metadata).toMatchObject({
      source: 'git-tools',
      category: 'vcs',
      tags: ['version-control', 'commits'],
    });
  });

  it('adds its global arguments and expands what is set', async () => {
    const board = await open(join(fixtures, 'climax/vault.yaml'), {
      env: { PATH: process.env['PATH'], TEST_VAULT: 'My Vault' },
    });
    const result = await board.call('vault_read', { file: 'a b', all: true, sort_by: 'name' });
    expect(result.text).toBe('read now file=a b all --sort-by name vault=My Vault\n');
    expect(await board.dryRun('vault_read', { file: 'x' })).toMatchObject({
      steps: [{ argv: ['echo', 'read', 'now', 'file=x', 'vault=My Vault'], env: ['PATH'] }],
    });
  });

  it('obeys a CLImax policy file', async () => {
    const board = await open([join(fixtures, 'climax/git.yaml'), join(fixtures, 'climax/policy.yaml')]);
    expect(board.registry.names().filter((name) => name.startsWith('git'))).toEqual(['git_log', 'git_hash']);
    expect(board.registry.get('git_log')?.metadata.description).toBe('History, as far as it is allowed');
    expect((await board.call('git_log', { max_count: 50 })).error).toMatchObject({
      code: 'invalid_arguments',
      field: 'max_count',
    });
    expect((await board.call('git_log', { max_count: 1 })).ok).toBe(true);
  });
});

describe('approval', () => {
  it('is asked by risk, in the tool’s own words, and with no one to ask the answer is no', async () => {
    const file = write(
      'approve.yaml',
      `command: echo
tools:
  - name: look
    description: Look
    risk: read
  - name: wipe
    description: Wipe
    risk: destructive
    confirm_message: "Wipe {what}? It has {count} lines."
    resolve: { count: { command: printf, args: ["3"] } }
    args: [{ name: what, positional: true, required: true }]
`,
    );
    const policy = write('approve-policy.yaml', 'default: enabled\ntools: {}\n');
    const asked: string[] = [];
    const board = await open([file, policy], {
      approve: ({ message }) => {
        asked.push(message);
        return asked.length === 1;
      },
    });
    expect((await board.call('look')).ok).toBe(true);
    expect((await board.call('wipe', { what: 'all' })).text).toBe('all\n');
    expect((await board.call('wipe', { what: 'all' })).error?.code).toBe('permission_denied');
    const question = 'wipe (destructive): Wipe "all"? It has 3 lines.';
    expect(asked).toEqual([question, question]);
    const alone = await open([file, policy]);
    expect((await alone.call('wipe', { what: 'all' })).error?.code).toBe('approval_required');
    expect((await alone.call('look')).ok).toBe(true);
    const free = await open(file);
    expect((await free.call('wipe', { what: 'all' })).ok).toBe(true);
  });

  it('keeps paths inside the allowed folders', async () => {
    const file = write(
      'roots.yaml',
      `tools:
  - { type: cli, name: cat, description: Show a file, command: cat, risk: read, args: [{ name: file, positional: true, path: true, required: true }, { name: in, cwd: true }] }
policy: { roots: ["${folder}"], approval: { global: none } }
`,
    );
    const board = await open(file);
    expect((await board.call('cat', { file: join(folder, 'roots.yaml') })).ok).toBe(true);
    for (const bad of ['/etc/hostname', join(folder, '../../etc/hostname'), '../x']) {
      expect((await board.call('cat', { file: bad })).error).toMatchObject({
        code: 'invalid_arguments',
        field: 'file',
      });
    }
  });
});

describe('a docker executor', () => {
  it('stands in front of every command', async () => {
    const policy = write(
      'docker.yaml',
      'executor: { type: docker, image: "alpine:3", volumes: ["$HOME/x:/x"], network: none, working_dir: /x }\ndefault: enabled\ntools: {}\napproval: { global: none }',
    );
    const board = await open([join(fixtures, 'climax/vault.yaml'), policy], { env: { HOME: '/h' } });
    const { steps } = await board.dryRun('vault_read', { file: 'a' });
    expect(steps).toMatchObject([
      {
        argv: [
          'docker',
          'run',
          '--rm',
          '--interactive',
          '-v',
          '/h/x:/x',
          '--network',
          'none',
          '-w',
          '/x',
          'alpine:3',
          'echo',
          'read',
          'now',
          'file=a',
        ],
      },
    ]);
  });
});

describe('a ctx file', () => {
  it('runs its commands in order, with templates, conditions and defaults', async () => {
    const board = await open(join(fixtures, 'ctx/context.yaml'), { env: { PATH: process.env['PATH'] } });
    expect((await board.call('greet', { name: 'Ada' })).text).toBe('hello there Ada!\n');
    expect((await board.call('greet', { name: 'Ada', twice: true })).text).toBe(
      'hello there Ada! --politely\nagain Ada friend',
    );
    const stopped = await board.call('stop-early', {});
    expect(stopped.error?.code).toBe('execution_failed');
    expect(stopped.text).toContain('one\n');
    expect(stopped.text).not.toContain('three');
    expect(board.diagnostics).toContainEqual(
      expect.objectContaining({
        severity: 'note',
        path: ['documents'],
        message: 'is not about tools and is ignored.',
      }),
    );
  });
});

describe('commands people have', () => {
  it('jq reads what it is sent, and its program is data', needs('jq'), async () => {
    const board = await open(
      write(
        'jq.yaml',
        `tools:
  - type: cli
    name: query_json
    description: Query JSON
    command: jq --compact-output
    output: json
    risk: read
    exit_codes: { "5": the program failed on this input }
    args: [{ name: program, positional: true, required: true }, { name: json, stdin: true, required: true }]
`,
      ),
    );
    const json = JSON.stringify({ users: [{ name: 'Ada' }, { name: '$(id)' }] });
    expect((await board.call('query_json', { program: '[.users[].name]', json })).data).toEqual(['Ada', '$(id)']);
    expect((await board.call('query_json', { program: '.users[', json })).text).toContain('[exit code: 3]');
    expect((await board.call('query_json', { program: '-n', json })).error?.code).toBe('invalid_arguments');
  });

  it('curl fetches, and a value cannot become an option', needs('curl'), async () => {
    const board = await open(
      write(
        'curl.yaml',
        `tools:
  - type: cli
    name: fetch
    description: Fetch a URL
    command: curl --silent --show-error --fail
    risk: read
    args: [{ name: url, flag: --url, style: separate, required: true, pattern: "http://.*" }]
`,
      ),
    );
    expect((await board.call('fetch', { url: `http://${origin}/a` })).text).toBe('{"path":"/a"}');
    expect((await board.call('fetch', { url: `http://${origin}/missing` })).text).toContain('[exit code: 22]');
    expect((await board.call('fetch', { url: '--output=/tmp/evil' })).error).toMatchObject({
      code: 'invalid_arguments',
      field: 'url',
    });
  });

  it('coreutils sort, count and fail as they should', async () => {
    const board = await open(
      write(
        'core.yaml',
        `tools:
  - { type: cli, name: sort, description: Sort lines, command: sort, risk: read, args: [{ name: text, stdin: true, required: true }, { name: reverse, type: boolean }, { name: key, type: integer, flag: -k }] }
  - { type: cli, name: bytes, description: Bytes that are no text, command: head -c 4 /dev/zero, risk: read }
  - { type: cli, name: none, description: Not installed, command: no-such-command-here }
`,
      ),
    );
    expect((await board.call('sort', { text: 'b 1\na 2\n', reverse: true, key: 2 })).text).toBe('a 2\nb 1\n');
    const bytes = await board.call('bytes');
    expect(bytes.text).toBe('[binary output: 4 bytes]');
    expect(bytes.content?.[1]).toMatchObject({ resource: { blob: 'AAAAAA==' } });
    expect((await board.call('none')).text).toContain('no-such-command-here');
  });
});

describe('a board file', () => {
  it('hands every value over byte for byte', async () => {
    const board = await open(
      write(
        'dump.yaml',
        `tools:
  - type: cli
    name: dump
    description: Prints its arguments
    command: [${JSON.stringify(process.execPath)}, -e, "console.log(JSON.stringify(process.argv.slice(1)))", --]
    output: json
    args: [{ name: a, positional: true }, { name: long }, { name: two, style: separate }]
`,
      ),
    );
    const naughty = [
      '"quotes\'',
      '$(touch x)',
      '`id`',
      'a\nb',
      'a; rm -rf /',
      '|&><*?~',
      'مرحبا‮x',
      '😀🏳️‍🌈',
      ' lead',
      '',
      '\\',
      '%s%n',
      '#{x}',
      '{{a}}',
      '${HOME}',
    ];
    for (const value of naughty) {
      const result = await board.call('dump', { a: value, long: value, two: value });
      expect(result.data).toEqual([value, `--long=${value}`, '--two', value]);
    }
    expect((await board.call('dump', { long: '-rf' })).data).toEqual(['--long=-rf']);
    expect((await board.call('dump', { a: 'a\0b' })).error).toMatchObject({ code: 'invalid_arguments' });
    expect((await board.call('dump', { a: 'x'.repeat(200_000) })).error).toMatchObject({ code: 'invalid_arguments' });
  });

  it('gives a command only the environment it may see, and keeps secrets out of sight', async () => {
    const env = {
      PATH: process.env['PATH'],
      HOME: '/h',
      SECRET_OF_BOARD: 'boardsecret',
      PASSED: 'p',
      API_TOKEN: 'tok-987654',
      SSL_CERT_FILE: '/etc/company.pem',
      GIT_SSL_NO_VERIFY: '1',
      HTTPS_PROXY: 'http://me:pw@proxy',
    };
    const board = await open(
      write(
        'env.yaml',
        `env: { LEVEL: debug, TOKEN: "\${API_TOKEN}" }
tools:
  - { type: cli, name: env, description: Prints its environment, command: env, env_pass: [PASSED] }
  - { type: cli, name: fails, description: Fails with the secret, command: ["sh", "-c", "echo $TOKEN; exit 3"], exit_codes: { "4": four } }
  - { type: cli, name: four, description: An exit that means something, command: ["sh", "-c", "exit 4"], exit_codes: { "4": no match } }
`,
      ),
      { env },
    );
    const names = (await board.call('env')).text
      .split('\n')
      .map((line) => line.split('=')[0])
      .filter(Boolean);
    const without = ['EDITOR', 'VISUAL', 'PAGER', 'MANPAGER', 'SYSTEMD_PAGER'];
    const ofGit = ['GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT'];
    const safeGit = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'];
    const own = ['PATH', 'HOME', 'SSL_CERT_FILE', 'LEVEL', 'TOKEN', 'PASSED', 'PEGBOARD_CALL'];
    expect(new Set(names)).toEqual(new Set([...own, ...without, ...ofGit, ...safeGit]));
    expect((await board.call('env')).text).toContain('TOKEN=[redacted]');
    const failed = await board.call('fails');
    expect(failed.text).toBe('[redacted]\n\n[exit code: 3]');
    expect(JSON.stringify(failed)).not.toContain('tok-987654');
    expect(await board.call('four')).toMatchObject({ ok: true, text: '[exit code 4: no match]' });
  });

  it('ends the whole process tree when the time is up', async () => {
    const board = await open(
      write(
        'slow.yaml',
        `tools:
  - { type: cli, name: slow, description: Takes long, timeout: 300ms, command: ["sh", "-c", "sleep 1000 & echo started; wait"] }
`,
      ),
    );
    const result = await board.call('slow');
    expect(result.error?.code).toBe('timeout');
  });

  it('keeps what is too long and lets it be paged through', async () => {
    const board = await open(
      write('long.yaml', `tools:\n  - { type: cli, name: count, description: Counts, command: seq 1 400000 }\n`),
    );
    const result = await board.call('count');
    const id = /id "([^"]+)"/.exec(result.text)?.[1];
    expect(result.text.length).toBeLessThan(1_100_000);
    expect((await board.call('output_read', { id, offset: 200_000, lines: 2 })).data).toMatchObject({
      lines: ['200001', '200002'],
    });
    expect((await board.call('output_search', { id, pattern: '^39999[89]$' })).data).toMatchObject({
      matches: [{ line: '399998' }, { line: '399999' }],
    });
    expect((await board.call('output_read', { id: '../../etc/passwd' })).error?.code).toBe('not_found');
  });

  it('sends requests where each value stays in its place', async () => {
    const board = await open(
      write(
        'http.yaml',
        `tools:
  - type: http
    name: get_item
    description: Get an item
    risk: read
    allow_hosts: ["${origin}"]
    schema: { properties: { id: { type: string }, q: { type: string } }, required: [id] }
    requests: [{ url: "http://${origin}/items/{{id}}", query: { q: "{{q}}" } }]
  - type: http
    name: post_item
    description: Post an item
    allow_hosts: ["${origin}"]
    schema: { properties: { name: { type: string }, count: { type: integer } }, required: [name] }
    requests: [{ url: "http://${origin}/items", method: POST, body: { name: "{{name}}", count: "{{count}}" } }]
  - { type: http, name: missing, description: Not there, allow_hosts: ["${origin}"], requests: [{ url: "http://${origin}/missing" }] }
  - { type: http, name: private, description: Not allowed, requests: [{ url: "http://${origin}/" }] }
`,
      ),
    );
    requests.length = 0;
    expect((await board.call('get_item', { id: '../../x?y=1#z', q: 'a&b=c' })).ok).toBe(true);
    expect(requests[0]?.url).toBe(`/items/${encodeURIComponent('../../x?y=1#z')}?q=a%26b%3Dc`);
    await board.call('post_item', { name: '"quoted"', count: 3 });
    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({ name: '"quoted"', count: 3 });
    expect((await board.call('missing')).meta.status).toBe(404);
    expect((await board.call('get_item', { id: '1' })).meta.status).toBe(200);
    expect((await board.call('missing')).text).toBe(
      `The server answered 404 at http://${origin}/missing: no such page`,
    );
    expect((await board.call('private')).error?.code).toBe('permission_denied');
  });

  it('loads tools written as code, unbuilt', async () => {
    write(
      'tools.ts',
      `import { defineTool } from ${JSON.stringify(entryFile('index'))};
export const shout = defineTool({ name: 'shout', description: 'Shout', schema: { type: 'object', properties: { text: { type: 'string' } } }, execute: ({ text }: { text: string }): string => text.toUpperCase() });
`,
    );
    const board = await open(write('script.yaml', 'tools:\n  - { type: script, file: ./tools.ts }\n'));
    expect((await board.call('shout', { text: 'hi' })).text).toBe('HI');
  });
});

describe('attacks', () => {
  it('a value never becomes a flag of a run tool, however it is put together', async () => {
    const board = await open(
      write(
        'attack.yaml',
        `tools:
  - type: run
    name: join
    description: Joins
    schema: { properties: { a: { type: string }, b: { type: string }, n: { type: integer }, f: { type: boolean } } }
    commands: [{ cmd: echo, args: ["{{a}}-{{b}}"], when: "{{b}}" }, { cmd: echo, args: ["{{n}}{{a}}"], when: "{{n}}" }, { cmd: echo, args: ["{{f}}--{{a}}"], when: "{{a}}" }]
  - { type: run, name: empty, description: Empty, schema: { properties: { a: { type: string } } }, commands: [{ cmd: printf, args: ["[%s]", "{{a}}"] }] }
  - { type: run, name: after, description: After, schema: { properties: { a: { type: string } } }, commands: [{ cmd: printf, args: ["[%s]", "-o", "{{a}}", "--"] }] }
`,
      ),
    );
    expect((await board.call('join', { a: '', b: '-upload-pack=touch x' })).error?.code).toBe('invalid_arguments');
    expect((await board.call('join', { n: -1, a: 'rf' })).error?.code).toBe('invalid_arguments');
    expect((await board.call('join', { f: false, a: 'exec=evil' })).error?.code).toBe('invalid_arguments');
    expect((await board.call('empty', { a: '' })).text).toBe('[]');
    expect((await board.call('after', {})).error).toMatchObject({ code: 'invalid_arguments', field: 'a' });
    expect((await board.call('empty', { undeclared: 1 })).error?.code).toBe('invalid_arguments');
  });

  it.each([
    '{ cmd: bash, args: ["-ce", "{{x}}"] }',
    '{ cmd: bash, args: ["-c", "--", "{{x}}"] }',
    '{ cmd: env, args: ["bash", "-c", "{{x}}"] }',
    '{ cmd: env, args: ["-S", "{{x}}"] }',
    '{ cmd: timeout, args: ["5", "sh", "-c", "{{x}}"] }',
    '{ cmd: python3, args: ["-c", "{{x}}"] }',
    '{ cmd: awk, args: ["{{x}}"] }',
  ])('no shell or interpreter gets a program from a model: %s', async (command) => {
    const text = `tools: [{ type: run, name: y, description: Y, schema: { properties: { x: { type: string } } }, commands: [${command}] }]`;
    await expect(open(write('shell.yaml', text))).rejects.toThrow(
      'a shell or interpreter would run what a model sends.',
    );
  });

  it('a separator does not switch flags off', async () => {
    const board = await open(
      write(
        'sep.yaml',
        `tools:
  - { type: cli, name: c, description: C, command: echo, separator: "--", args: [{ name: file, positional: true }, { name: mode, enum: [safe], default: safe }] }
`,
      ),
    );
    expect((await board.call('c', { file: '-x' })).text).toBe('--mode=safe -- -x\n');
  });

  it('the tool’s own methods are as guarded as the board', async () => {
    const board = await open(
      write(
        'own.yaml',
        `env: { T: "\${API_TOKEN}" }
tools: [{ type: cli, name: t, description: T, command: ["sh", "-c", "echo $T"], risk: write }]
policy: { approval: { global: all } }
`,
      ),
      { env: { PATH: process.env['PATH'], API_TOKEN: 'tok-55555' } },
    );
    const tool = board.registry.get('t');
    await expect(tool?.execute({})).rejects.toMatchObject({ code: 'approval_required' });
    await expect(tool?.toLangChainTool().invoke({})).rejects.toMatchObject({ code: 'approval_required' });
    expect(JSON.stringify(board.files)).not.toContain('tok-55555');
  });

  it('a file that breaks while it is watched breaks nothing else', async () => {
    const file = write('fragile.yaml', 'tools: [{ type: cli, name: v, description: One, command: echo one }]');
    const board = await open(file, { watch: true });
    for (const text of [
      'import: "a\\0b"\n',
      `import: "${'x'.repeat(5000)}"\n`,
      'import: ["{a,b}{a,b}{a,b}{a,b}{a,b}"]\n',
    ]) {
      const failed = new Promise((resolve) => board.on('reload-failed', resolve));
      write('fragile.yaml', text);
      await failed;
    }
    expect((await board.call('v')).text).toBe('one\n');
  });
});

describe('several files', () => {
  it('are imported by path, folder and glob, the last one winning with a warning', async () => {
    write('base.yaml', 'tools: [{ type: cli, name: hi, description: Base, command: echo base }]');
    const board = await open(
      write(
        'top.yaml',
        'import: [base.yaml, "ba*.yaml"]\ntools: [{ type: cli, name: hi, description: Top, command: echo top }]',
      ),
    );
    expect((await board.call('hi')).text).toBe('top\n');
    expect(board.diagnostics).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        message: 'the tool "hi" stands in base.yaml:1 too; this one is used.',
      }),
    );
  });

  it('that import each other show the circle', async () => {
    write('one.yaml', 'import: two.yaml\n');
    write('two.yaml', 'import: one.yaml\n');
    await expect(open(join(folder, 'one.yaml'))).rejects.toThrow(
      'two.yaml:1:9 import: imports form a circle: one.yaml → two.yaml → one.yaml. Remove one of them.',
    );
  });

  it('with faults say all of them', async () => {
    write('bad1.yaml', 'tools: [{ type: cli, name: x }]');
    write(
      'bad2.yaml',
      `tools:\n  - { type: run, name: y, description: Y, commands: [{ cmd: sh, args: ["-c", "echo {{text}}"] }], schema: { properties: { text: { type: string } } } }\n`,
    );
    const error = await open(['bad1.yaml', 'bad2.yaml', 'none.yaml']).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('bad1.yaml:1:9 tools[0].description: is required.');
    expect(String(error)).toContain('none.yaml does not exist.');
    expect(String(error)).toContain('bad2.yaml:2:79');
    expect(String(error)).toContain('a shell or interpreter would run what a model sends.');
  });
});

describe('a file that changes', () => {
  it('swaps the board at once, and a broken file keeps the last good one', async () => {
    const file = write(
      'live.yaml',
      `tools: [{ type: cli, name: v, description: One, command: [sh, -c, "sleep 0.3; echo one"] }]`,
    );
    const board = await open(file);
    const running = board.call('v');
    write(
      'live.yaml',
      'tools: [{ type: cli, name: v, description: Two, command: echo two }, { type: cli, name: w, description: W, command: echo w }]',
    );
    expect(await board.reload()).toEqual({ ok: true });
    expect(board.registry.names()).toEqual(expect.arrayContaining(['v', 'w']));
    expect((await board.call('v')).text).toBe('two\n');
    expect((await running).text).toBe('one\n');
    write('live.yaml', 'tools: [{');
    const failed = await board.reload();
    expect(failed.ok).toBe(false);
    expect((await board.call('v')).text).toBe('two\n');
  });

  it('is noticed by itself when asked', async () => {
    const file = write('watched.yaml', 'tools: [{ type: cli, name: v, description: One, command: echo one }]');
    const board = await open(file, { watch: true });
    const reloaded = new Promise((resolve) => board.on('reloaded', resolve));
    write('watched.yaml', 'tools: [{ type: cli, name: v, description: Two, command: echo two }]');
    await reloaded;
    expect((await board.call('v')).text).toBe('two\n');
  });
});

describe('files that are there', () => {
  it('are the generated schemas, unchanged', () => {
    for (const [file, text] of Object.entries(generateSchemas())) {
      // When this differs, run `node scripts/generate-schema.ts`.
      expect(readFileSync(join(root, file), 'utf8')).toBe(text);
    }
    expect(readFileSync(join(root, 'pegboard.schema.json'), 'utf8')).toBe(formatBoardSchema(BUILT_IN_KINDS));
  });

  const shared = join(root, '../shared/fixtures');
  it.skipIf(!existsSync(shared))('load unmodified: CLImax and ctx files of other people', () => {
    for (const file of globSync(join(shared, '*/*'))) {
      const loaded = loadFile(readFileSync(file), file, { env: {} });
      const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
      expect([file, errors.length > 0]).toEqual([file, file.includes('error_tools')]);
    }
  });
});
