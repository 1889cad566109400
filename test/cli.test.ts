// The real command line in child processes: what people type, what they get, and the exit code.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';
import { has } from './needs.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called whenever something was printed, with all of it. */
  readonly onOutput?: (output: { readonly stdout: string; readonly stderr: string; stop(): void }) => void;
}

function pegboard(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { cwd = folder, env = {}, input = '', onOutput } = options;
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...env },
    timeout: 200_000,
  });
  let [stdout, stderr] = ['', ''];
  const tell = (): void => onOutput?.({ stdout, stderr, stop: () => child.kill('SIGINT') });
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    tell();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    tell();
  });
  child.stdin.end(input);
  return new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr })));
}

/** Writes a file below the test's folder and gives its path. */
function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const BOARD = `
name: demo
category: text
variables: { API_TOKEN: hunter2hunter2 }
tools:
  - name: echo_words
    type: cli
    description: Print some words
    command: [echo, -n]
    tags: [plain]
    risk: read
    args:
      - { name: text, positional: true, required: true, description: What to print }
      - { name: loud, type: boolean }
  - name: count_bytes
    type: cli
    description: Count bytes
    command: wc -c
    risk: read
    args: [{ name: input, stdin: true, required: true }]
  - name: secret_thing
    type: run
    description: Needs a token
    env: { API_TOKEN: '\${API_TOKEN}' }
    schema: { properties: { times: { type: integer, default: 1 } } }
    commands: [{ cmd: node, args: ['-e', 'console.log(process.env.API_TOKEN)'] }]
`;

beforeAll(() => {
  write('pegboard.yaml', BOARD);
  write('below/readme.txt', 'A folder without a config of its own.');
});

describe('pegboard', () => {
  it('shows every command with --help, and the help of one', async () => {
    const { code, stdout } = await pegboard(['--help']);
    expect(code).toBe(0);
    for (const name of ['validate', 'list', 'show', 'call', 'schema', 'init', 'import cli', 'doctor', 'export']) {
      expect(stdout).toContain(`  ${name} `);
    }
    const headings = ['Usage', 'Start', 'Tools', 'Servers', 'Knowledge', 'Agents', 'Operate', 'Options', 'Example'];
    expect([...stdout.matchAll(/^([A-Z]\w+):/gm)].map(([, heading]) => heading)).toEqual(headings);
    expect(stdout).toContain('\n\nKnowledge:\n  rag index ');
    const help = await pegboard(['call', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('Usage: pegboard call NAME [ARGUMENTS…] [OPTIONS]');
    expect(help.stdout).toContain('Examples:');
    expect((await pegboard(['help', 'call'])).stdout).toBe(help.stdout);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await pegboard(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.for([
    [['lst'], 'There is no command "lst". Did you mean "pegboard list"?'],
    [['import', 'clu'], 'There is no command "import clu". Did you mean "pegboard import cli"?'],
    [['list', '--categry', 'x'], '"pegboard list" has no option --categry. Did you mean --category?'],
    [['show'], '"pegboard show" needs NAME: the name of the tool.'],
    [['show', 'a', 'b'], '"pegboard show" takes only NAME; got "b" as well. Name config files with --file.'],
    [['call', 'a', '--interactive'], '--interactive needs a terminal.'],
    [['list', '--tag'], '--tag needs a value: --tag NAME.'],
    [['call', 'x', '--timeout', 'soon'], '--timeout must be seconds, or a time such as 500ms, 30s, 2m; got "soon".'],
    [['inspect', '--port', '99999'], '--port must be a number from 0 (any free port) to 65535; got "99999".'],
    [['export'], '--format must be one of: openai, anthropic, gemini, mcp, prompt.'],
  ] as const)('explains %j and exits with 2', async ([args, message]) => {
    const { code, stdout, stderr } = await pegboard(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`error ${message}`);
  });

  it('says what to do where there is no config', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'pegboard-empty-'));
    const { code, stderr } = await pegboard(['list'], { cwd: empty });
    rmSync(empty, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'error There is no pegboard.yaml, pegboard.yml, pegboard.json in this folder or above. Name a config file, or create one with: pegboard init\n',
    );
  });

  it('gives failures as JSON where JSON is asked for', async () => {
    const { code, stdout } = await pegboard(['show', 'echo_word', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'not_found',
        message: 'There is no tool "echo_word". Did you mean: echo_words?',
        tool: 'echo_word',
        recoverable: false,
      },
    });
  });

  it('ends quietly when its reader has gone', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => {
      return `  - { name: t${index}, type: cli, command: 'true', description: '${'x'.repeat(200)}' }`;
    });
    const file = write('many.yaml', `tools:\n${many.join('\n')}\n`);
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${CLI}" list "${file}" | head -n 1`]);
    let [output, errors] = ['', ''];
    shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    shell.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    await new Promise((settle) => shell.on('close', settle));
    expect({ output: output.slice(0, 3), errors }).toEqual({ output: 't0\t', errors: '' });
  });
});

describe('list, search and show', () => {
  it('lists one tool on a line when piped, also from a folder below', async () => {
    const lines = [
      'echo_words\tdemo\tread\tPrint some words',
      'count_bytes\tdemo\tread\tCount bytes',
      'secret_thing\tdemo\twrite\tNeeds a token',
    ];
    expect(await pegboard(['list'])).toEqual({ code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' });
    expect((await pegboard(['list'], { cwd: join(folder, 'below') })).stdout).toBe(`${lines.join('\n')}\n`);
  });

  it('filters, and says why nothing is left', async () => {
    const { stdout } = await pegboard(['list', '--tag', 'plain', '--json']);
    expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toEqual(['echo_words']);
    expect((await pegboard(['list', '--risk', 'write'])).stdout).toBe('secret_thing\tdemo\twrite\tNeeds a token\n');
    const none = await pegboard(['list', '--category', 'txt']);
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No tool has the category "txt". Did you mean "text"?\n' });
  });

  it('lists the same with and without the whole board', async () => {
    const policy = write('policy/pegboard.yaml', `${BOARD}\npolicy: { approval: { global: none } }\n`);
    expect((await pegboard(['list', policy])).stdout).toBe((await pegboard(['list'])).stdout);
  });

  it('finds tools by what they do', async () => {
    const found = await pegboard(['search', 'bytes']);
    expect(found).toEqual({ code: 0, stdout: 'count_bytes\tdemo\tread\tCount bytes\n', stderr: '' });
    expect(await pegboard(['search', 'weather'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('ranks, filters and explains what it finds', async () => {
    const ranked = await pegboard(['search', 'printing', 'words', '--json', '--explain', '--limit', '1']);
    expect(JSON.parse(ranked.stdout)).toMatchObject([
      { name: 'echo_words', score: expect.any(Number), matches: [{ word: 'printing' }, { word: 'words' }] },
    ]);
    expect((await pegboard(['search', 'words', '--kind', 'cli', '--risk', 'read', '--limit', '1'])).code).toBe(0);
    const kind = await pegboard(['search', 'words', '--kind', 'htp']);
    expect(kind).toMatchObject({ code: 1, stdout: '' });
    expect(kind.stderr).toMatch(/^No tool has the kind "htp"\. There are: /);
    expect(await pegboard(['search', 'printing', '--plain'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^None of \d+ tools contains the text "printing"\.\n$/),
    });
  });

  it.each([
    ['--limit', '-1', '--limit must be a whole number, 1 or more; got "-1".'],
    ['--limit', 'x', '--limit must be a whole number, 1 or more; got "x".'],
    ['--risk', 'none', '--risk must be one of: read, write, destructive; got "none".'],
  ])('refuses a search with %s %s', async (option, value, message) => {
    const { code, stderr } = await pegboard(['search', 'words', `${option}=${value}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('says what the tools cost in a prompt', async () => {
    const { code, stdout } = await pegboard(['tokens', '--top', '1']);
    expect(code).toBe(0);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    const modes = ['classic', 'discovery', 'auto'].flatMap((mode) => [mode, mode, mode]);
    expect(rows.map(([what]) => what)).toEqual([...modes, 'source', 'tool']);
    expect(rows.every(([, , , tokens]) => Number(tokens) > 0)).toBe(true);
    const counted = JSON.parse(
      (await pegboard(['tokens', '--json', '--tokenizer', 'o200k_base', '--budget', '9'])).stdout,
    );
    expect(counted).toMatchObject({
      tokenizer: 'o200k_base',
      budget: 9,
      modes: [{}, {}, { mode: 'auto', shows: 'discovery' }],
    });
    const wrong = await pegboard(['tokens', '--tokenizer', 'gpt9']);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--tokenizer must be one of: estimate, o200k_base'),
    ]);
  });

  it('shows the arguments of a tool with groups once, and what is needed of them', async () => {
    const args = 'args: [{ name: image, required: true }, { name: file }, { name: folder }, { name: type }]';
    const tool = `{ name: t, type: cli, description: T, command: echo, ${args}, one_of: [[file, folder, type]] }`;
    const file = write('groups/pegboard.yaml', `tools:\n  - ${tool}\n`);
    const { stdout } = await pegboard(['show', 't', '--file', file]);
    expect(stdout.slice(stdout.indexOf('Parameters'))).toBe(`Parameters
  image   string
  file    string, optional
  folder  string, optional
  type    string, optional
  Required: image; and file, or folder, or type
`);
  });

  it('shows everything about a tool but its secrets', async () => {
    const { code, stdout } = await pegboard(['show', 'echo_words']);
    expect(code).toBe(0);
    expect(stdout).toBe(`echo_words
Print some words

source    demo (pegboard.yaml:6)
kind      cli
risk      read
category  text
tags      plain
timeout   30 s (default)
command   echo -n <text> [--loud]
cwd       ${folder}

Parameters
  text  string             What to print
  loud  boolean, optional
`);
    for (const args of [
      ['show', 'secret_thing'],
      ['show', 'secret_thing', '--json'],
      ['export', '--format', 'mcp'],
    ]) {
      const shown = await pegboard(args);
      expect(shown.code).toBe(0);
      expect(shown.stdout + shown.stderr).not.toContain('hunter2');
    }
  });
});

describe('start', () => {
  it.for([
    [['--help'], ['js-yaml']],
    [['list'], ['js-yaml']],
    [['show', 'echo_words'], ['js-yaml']],
    [['validate'], ['js-yaml']],
    [['call', 'echo_words', '--arg', 'text=x'], ['js-yaml']],
    [['schema'], ['js-yaml']],
  ] as const)('loads no more packages than it needs for %j', async ([args, packages]) => {
    const hook = `import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ load(url, context, next) {
        const match = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url);
        if (match) loaded.add(match[1]);
        return next(url, context);
      } });
      process.on('exit', () => process._rawDebug(JSON.stringify([...loaded])));`;
    const file = write('hook.mjs', hook);
    const { code, stderr } = await pegboard(args, { env: { NODE_OPTIONS: `--import ${file}` } });
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toEqual(packages);
  });
});

describe('call', () => {
  it('types --arg by the schema and prints the text alone', async () => {
    const outcome = await pegboard(['call', 'echo_words', '--arg', 'text=a=b $(id)', '-a', 'loud=false']);
    expect(outcome).toEqual({ code: 0, stdout: 'a=b $(id)\n', stderr: '' });
  });

  it('takes arguments as words, and a JSON object as one', async () => {
    const words = await pegboard(['call', 'echo_words', 'text=a=b $(id)', 'loud=false']);
    expect(words).toEqual({ code: 0, stdout: 'a=b $(id)\n', stderr: '' });
    const object = await pegboard(['call', 'count_bytes', '{"input":"12345"}']);
    expect(object.stdout.trim()).toBe('5');
  });

  it('takes JSON, and JSON from stdin', async () => {
    const inline = await pegboard(['call', 'count_bytes', '--args', '{"input":"12345"}']);
    expect(inline.stdout.trim()).toBe('5');
    const piped = await pegboard(['call', 'count_bytes', '--args', '-', '--json'], { input: '{"input":"123"}' });
    expect(JSON.parse(piped.stdout)).toMatchObject({ is_error: false, text: expect.stringMatching(/^3/) });
  });

  it.for([
    [['--args', '{"input"'], /^error The arguments must be JSON, such as '\{"path": "\."\}': /],
    [['--args', '[1]'], /^error The arguments must be a JSON object/],
    [['--arg', 'input'], /^error An argument is NAME=VALUE; got "input"\./],
    [['input'], /^error An argument is NAME=VALUE; got "input"\./],
    [['{}', '--args', '{}'], /^error The arguments are given as a JSON object twice/],
  ] as const)('refuses %j with exit code 2', async ([args, message]) => {
    const { code, stderr } = await pegboard(['call', 'count_bytes', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('puts a failed call on stderr and exits with 1', async () => {
    const { code, stdout, stderr } = await pegboard(['call', 'echo_words']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^invalid_arguments Invalid arguments for "echo_words":\n- text: is required/);
  });

  it('prints the exact command line and runs nothing with --dry-run', async () => {
    const { stdout } = await pegboard(['call', 'echo_words', '--arg', 'text=two words\n"quoted"', '--dry-run']);
    expect(stdout).toContain(`argv:
  "echo"
  "-n"
  "two words\\n\\"quoted\\""
`);
    expect(stdout).toMatch(/^env: .*\bPATH\b/m);
    const secret = await pegboard(['call', 'secret_thing', '--dry-run', '--json']);
    expect(JSON.parse(secret.stdout)).toMatchObject({ tool: 'secret_thing', steps: [{ type: 'command' }] });
    expect(secret.stdout).toContain('API_TOKEN');
    expect(secret.stdout).not.toContain('hunter2');
  });

  it('keeps secrets out of what a tool answers', async () => {
    expect(await pegboard(['call', 'secret_thing'])).toMatchObject({ code: 0, stdout: '[redacted]\n' });
  });

  it('writes what came back to the file of --out', async () => {
    const zip = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => index * 7));
    const server = createServer((request, response) => {
      if (request.url === '/gone') response.writeHead(404).end('gone');
      else response.writeHead(200, { 'content-type': 'application/zip' }).end(zip);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    // A server that listens on a port has an address of this shape.
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tool = (name: string, path: string, more: string): string =>
      `  - { name: ${name}, type: http, description: x, risk: read, requests: [{ url: ${path} }]${more} }\n`;
    const tools = [tool('kept', '/zip', ', max_media: 1KB'), tool('small', '/zip', ''), tool('gone', '/gone', '')];
    const config = write(
      'files.yaml',
      `http: { base_url: '${base}', allow_hosts: [127.0.0.1] }\ntools:\n${tools.join('')}`,
    );
    const call = (name: string, ...more: string[]): Promise<Outcome> => pegboard(['call', name, '-f', config, ...more]);
    const results = await Promise.all([
      call('kept', '--out', 'kept.zip'),
      call('small', '-o', 'small.zip', '--json'),
      call('gone', '--out', 'gone.zip'),
      call('kept'),
      call('kept', '--out', 'nowhere/kept.zip'),
      pegboard(['call', 'echo_words', 'text=hi', '--out', 'words.txt']),
    ]);
    server.close();
    expect(results).toMatchObject([
      { code: 0, stdout: 'Wrote 300,000 bytes to kept.zip.\n', stderr: '' },
      { code: 0, stdout: '{\n  "written": "small.zip",\n  "bytes": 300000\n}\n' },
      { code: 1, stdout: '', stderr: expect.stringContaining('answered 404') },
      { code: 0, stderr: 'note It is stored only until this command ends. Use --out FILE to save it.\n' },
      { code: 2, stderr: expect.stringContaining('--out: the folder') },
      { code: 0, stdout: 'Wrote 2 bytes to words.txt.\n' },
    ]);
    expect(['kept.zip', 'small.zip'].map((name) => readFileSync(join(folder, name)).equals(zip))).toEqual([true, true]);
    expect(readFileSync(join(folder, 'words.txt'), 'utf8')).toBe('hi');
    expect(existsSync(join(folder, 'gone.zip'))).toBe(false);
  });

  it('gives a program the whole of what a tool printed', async () => {
    const config = write(
      'big.yaml',
      'tools: [{ name: big, type: cli, description: B, command: seq 1 300000, risk: read }]\n',
    );
    const all = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join('');
    const { code, stdout, stderr } = await pegboard(['call', 'big', '-f', config]);
    expect([code, stdout === all, stderr]).toEqual([0, true, '']);
    const answer: unknown = JSON.parse((await pegboard(['call', 'big', '-f', config, '--json'])).stdout);
    expect(answer).toEqual({ text: all, is_error: false });
    await pegboard(['call', 'big', '-f', config, '--out', 'big.txt']);
    expect(readFileSync(join(folder, 'big.txt'), 'utf8') === all).toBe(true);
  });

  it('ends a call that takes too long', async () => {
    const file = write('slow.yaml', 'tools: [{ name: slow, type: cli, description: Slow, command: sleep 60 }]');
    const { code, stderr } = await pegboard(['call', 'slow', '-f', file, '--timeout', '300ms']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^timeout /);
  });

  it('warns of the tool that is called, not of other tools and of rules for them', async () => {
    const file = write(
      'warnings.yaml',
      `
name: warnings
tools:
  - { name: plain, type: cli, description: Say hello, command: echo hello, risk: read }
  - { name: runs, type: cli, description: Look, command: find ., args: [{ name: what, positional: true, flag: --x }] }
  - { name: off, type: cli, description: Need it, command: echo, env: { A: '\${NOT_SET}' } }
policy: { deny: [nowhere] }
`,
    );
    const warningsOf = ({ stderr }: Outcome): string[] =>
      stderr.split('\n').filter((line) => line.startsWith('warning'));
    const board = expect.stringContaining('policy.deny');
    const runs = expect.stringContaining('tools[1].args[0].flag: is not used');
    const off = expect.stringContaining('the variable NOT_SET is not set, so the tool "off" is off');
    const called = await pegboard(['call', 'plain', '-f', file]);
    expect([called.stdout, warningsOf(called)]).toEqual(['hello\n', []]);
    expect(warningsOf(await pegboard(['show', 'runs', '-f', file]))).toEqual([runs]);
    const list = await pegboard(['list', file]);
    expect(warningsOf(list)).toEqual([off, runs, board]);
    expect(list.stderr).toContain('\nThe tool "off" is off: the variable NOT_SET is not set.');
  });

  it('asks no one without a terminal, unless --yes answers', async () => {
    const tool = '{ name: change, type: cli, description: Change, command: echo changed }';
    const file = write('ask.yaml', `tools: [${tool}]\npolicy: { approval: { global: write } }\n`);
    const refused = await pegboard(['call', 'change', '-f', file]);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^approval_required .*\nTo approve it yourself, add --yes\.\n$/);
    expect(await pegboard(['call', 'change', '-f', file, '--yes'])).toMatchObject({ code: 0, stdout: 'changed\n' });
    const dry = await pegboard(['call', 'change', '-f', file, '--dry-run']);
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nwould ask: a person must approve the call \(risk: write\)\n$/) as string,
    });
    const read =
      '{ name: show, type: cli, description: S, command: cat, args: [{ name: file, type: array, positional: true, path: true }] }';
    const rooted = write('rooted.yaml', `tools: [${read}]\npolicy: { roots: [.] }\n`);
    const out = await pegboard(['call', 'show', '-f', rooted, 'file=/etc/passwd', '--dry-run']);
    expect(out.stdout).toMatch(/"\/etc\/passwd"\n[^]*\nwould be refused: file\[0\] must lie in an allowed folder/);
    expect(out.code).toBe(1);
  });
});

describe('validate', () => {
  it('counts what it found', async () => {
    const { code, stdout } = await pegboard(['validate']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Valid: \d+ tools in 1 file\.\n$/);
  });

  it('shows every error of every file with its place', async () => {
    write('bad/one.yaml', 'tools:\n  - name: a b\n    type: cli\n    description: A\n    command: ls\n    rsk: read\n');
    write('bad/two.yaml', 'tools: [\n');
    const { code, stdout } = await pegboard(['validate', 'bad/one.yaml', 'bad/two.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain('error bad/one.yaml:2:11 tools[0].name:');
    expect(stdout).toContain('    2 |   - name: a b\n      |           ^^^');
    expect(stdout).toMatch(/error bad\/one\.yaml:6:5 tools\[0\]\.rsk: is not a known key\..*"risk"/);
    expect(stdout).toContain('error bad/two.yaml:');
    expect(stdout).toMatch(/^Not valid: 3 errors in 2 files\.$/m);
    const json = await pegboard(['validate', 'bad/one.yaml', '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, files: ['bad/one.yaml'] });
  });

  it('checks again when a file changes, until it is stopped', async () => {
    const file = write('watched/pegboard.yaml', 'tools: [{ name: a, type: cli, description: A, command: ls }]');
    let isChanged = false;
    const { code, stdout } = await pegboard(['validate', '--watch', file], {
      onOutput: ({ stdout, stderr, stop }) => {
        if (!isChanged && stderr.includes('Watching')) {
          isChanged = true;
          writeFileSync(file, 'tools: 5\n');
        }
        if (stdout.includes('Not valid:')) stop();
      },
    });
    expect(code).toBe(130);
    expect(stdout).toContain('tools: must be array');
  });
});

describe('init and schema', () => {
  it('writes a board that is valid and can be called, and never overwrites it', async () => {
    const { code, stdout } = await pegboard(['init', '--yes', 'fresh']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Wrote fresh/pegboard.yaml and fresh/pegboard.schema.json. Next: pegboard list\n',
    });
    const cwd = join(folder, 'fresh');
    const text = readFileSync(join(cwd, 'pegboard.yaml'), 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/pegboard\.schema\.json\n/);
    expect((await pegboard(['validate'], { cwd })).stdout).toMatch(/^Valid: /);
    expect((await pegboard(['list'], { cwd })).stdout).toMatch(
      /^recent_commits\tfresh\tread\t.*\ngithub_repo\tfresh\tread\t/,
    );
    // The policy of a new board lets both run: they say that they take no paths.
    expect(text).toContain('policy:\n  roots: [.]\n');
    expect(text).toContain('approval: { global: destructive }\n');
    const dryRun = await pegboard(['call', 'github_repo', 'owner=a', 'repo=b', '--dry-run'], { cwd });
    expect(dryRun).toMatchObject({ code: 0, stdout: expect.stringContaining('GET https://api.github.com/repos/a/b') });
    const again = await pegboard(['init', '--yes', 'fresh']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('fresh/pegboard.yaml already exists.');
    expect(readFileSync(join(cwd, 'pegboard.yaml'), 'utf8')).toBe(text);
  });

  it('prints the published schema', async () => {
    const published = readFileSync(join(root, 'pegboard.schema.json'), 'utf8');
    expect((await pegboard(['schema'])).stdout).toBe(published);
    await pegboard(['schema', '--write', 'copy.json']);
    expect(readFileSync(join(folder, 'copy.json'), 'utf8')).toBe(published);
  });
});

describe('export and prompt', () => {
  it.for(['openai', 'anthropic', 'gemini', 'mcp'])('exports for %s', async (format) => {
    const { code, stdout } = await pegboard(['export', '--format', format]);
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout))).toContain('echo_words');
  });

  it('prints the prompt', async () => {
    const { stdout } = await pegboard(['prompt', '--group', '--category', 'text']);
    expect(stdout).toMatch(
      /^Available Tools:\n\nTEXT TOOLS:\n- echo_words: Print some words\n {2}Parameters: text \(string\)/,
    );
  });
});

describe('doctor', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  });
  afterAll(() => void server.close());

  it('finds what is missing, and exits with 1', async () => {
    const file = write(
      'sick.yaml',
      `tools:
  - { name: here, type: cli, description: Here, command: node }
  - { name: gone, type: cli, description: Gone, command: no-such-program-anywhere }
  - { name: token, type: http, description: T, requests: [{ url: 'https://example.invalid/', headers: { a: '\${NOT_SET_TOKEN}' } }] }
`,
    );
    const { code, stdout } = await pegboard(['doctor', file, '--json']);
    expect(code).toBe(1);
    const { ok, checks } = JSON.parse(stdout);
    expect(ok).toBe(false);
    const find = (name: string): unknown => checks.find((check: { name: string }) => check.name === name);
    expect(find('node')).toMatchObject({ kind: 'node', status: 'ok' });
    expect(checks).toContainEqual(
      expect.objectContaining({ kind: 'command', name: 'node', status: 'ok', tools: ['here'] }),
    );
    expect(find('no-such-program-anywhere')).toMatchObject({
      status: 'missing',
      detail: 'is not in PATH',
      tools: ['gone'],
    });
    expect(find('NOT_SET_TOKEN')).toMatchObject({ kind: 'variable', status: 'missing' });
    const set = await pegboard(['doctor', file, '--json'], { env: { NOT_SET_TOKEN: 'a-value-nobody-sees' } });
    expect(set.stdout).not.toContain('a-value-nobody-sees');
    expect(set.stdout).toContain('"name": "NOT_SET_TOKEN",\n      "status": "ok"');
  });

  it('finds folders of a sandbox that are not there', async () => {
    const file = write(
      'boxed.yaml',
      `tools:
  - { name: a, type: cli, description: A, command: ls, sandbox: { type: bwrap, read: [below, gone], write: [${folder}] } }
  - { name: b, type: cli, description: B, command: ls, sandbox: { type: bwrap, write: [gone] } }
`,
    );
    const { code, stdout } = await pegboard(['doctor', file, '--json']);
    const sandboxes = JSON.parse(stdout).checks.filter(({ kind }: { kind: string }) => kind === 'sandbox');
    expect(code).toBe(1);
    expect(sandboxes.slice(1)).toEqual([
      { kind: 'sandbox', name: join(folder, 'gone'), status: 'missing', detail: 'does not exist', tools: ['a', 'b'] },
    ]);
  });

  it('looks after the stores and models of knowledge, and makes none', async () => {
    const file = write(
      'knowing/knowing.yaml',
      `rag:
  servers:
    default: { driver: sqlite }
    away: { driver: postgres, endpoint_url: 'postgresql://me:hunter22@127.0.0.1:1/team' }
  collections:
    here: {}
    team: { server: away, vectorizer: { platform: vllm, model: m, url: 'http://127.0.0.1:1/v1' } }
    near: { vectorizer: { platform: local } }
    keyless: { vectorizer: { platform: voyage } }
tools:
  - { name: notes, type: rag, description: Notes, collection: here }
  - { name: team, type: rag, description: Team, collection: team }
`,
    );
    const offline = await pegboard(['doctor', file]);
    expect(offline.code).toBe(1);
    expect(offline.stdout).toMatch(/missing +model +voyage +The embedder's api_key is missing\. .*VOYAGE_API_KEY/);
    expect(offline.stdout).toContain('\n1 missing.');
    expect(offline.stdout).toMatch(
      /ok +store +default +sqlite, .*knowledge\.db, created when something is stored \(notes\)/,
    );
    expect(offline.stdout).toMatch(/ok +store +away +postgres, 127\.0\.0\.1:1\/team, not contacted; .* \(team\)/);
    expect(offline.stdout).toMatch(/ok +model +m +vllm, not contacted; .* \(team\)/);
    expect(offline.stdout).toMatch(/ok +model +local +local, answers\n/);
    const online = await pegboard(['doctor', file, '--online']);
    expect(online.code).toBe(1);
    expect(online.stdout).toMatch(
      /missing +store +away +The PostgreSQL server 127\.0\.0\.1:1\/team cannot be reached: /,
    );
    expect(online.stdout).toMatch(/missing +model +m +The embedder at .* does not answer: /);
    expect(offline.stdout + online.stdout).not.toContain('hunter22');
    expect(existsSync(dataOf(dirname(file)))).toBe(false);
  });

  it('connects to servers only with --online', async () => {
    const { port } = server.address() as AddressInfo; // A TCP server has an address and a port.
    const file = write(
      'online.yaml',
      `tools:\n  - { name: up, type: http, description: Up, requests: [{ url: 'http://127.0.0.1:${port}/{{x}}' }], schema: { properties: { x: { type: string } }, required: [x] } }\n`,
    );
    expect((await pegboard(['doctor', file])).stdout).not.toContain('127.0.0.1');
    const online = await pegboard(['doctor', file, '--online']);
    expect(online.stdout).toMatch(new RegExp(`ok +host +127\\.0\\.0\\.1:${port} +reachable \\(up\\)`));
    expect(online.code).toBe(0);
  });
});

describe('import', () => {
  it('makes tools of what a command says about itself, which load and run', async () => {
    const program = write('bin/greet', GREET);
    const { code, stdout } = await pegboard(['import', 'cli', process.execPath, program, '--out', 'greet.yaml']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Wrote 2 tools to greet.yaml. Check them with: pegboard validate greet.yaml\n',
    });
    const { stdout: list } = await pegboard(['list', 'greet.yaml', '--json']);
    const [first] = JSON.parse(list);
    expect(first.description).toBe('Say hello to somebody');
    const said = await pegboard(['call', first.name, '-f', 'greet.yaml', '-a', 'name=Ada', '-a', 'times=2', '--json']);
    expect(JSON.parse(said.stdout).text).toBe('["hello","--times=2","Ada"]\n');
    const again = await pegboard(['import', 'cli', process.execPath, program, '--out', 'greet.yaml']);
    expect(again).toMatchObject({ code: 1, stdout: '' });
  });

  it('names a command that is not there', async () => {
    const { code, stderr } = await pegboard(['import', 'cli', 'no-such-program-anywhere']);
    expect(code).toBe(1);
    expect(stderr).toContain('The command "no-such-program-anywhere" was not found in PATH.');
  });

  it('makes http tools of an OpenAPI document', async () => {
    write('pets.json', JSON.stringify(PETS));
    const { code } = await pegboard(['import', 'openapi', 'pets.json', '--exclude', 'admin', '-o', 'pets.yaml']);
    expect(code).toBe(0);
    const { stdout } = await pegboard(['list', 'pets.yaml', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ description: expect.stringContaining('Show a pet'), source: 'pets' }]);
  });
});

/**
 * Pages whose `yaml` blocks are files (the first line names them) and whose `console` blocks are what a terminal shows.
 * `…` stands for anything.
 */
describe.for([
  'README.md',
  'docs/command-line.md',
  'docs/commands.md',
  'docs/config.md',
  'docs/evaluate.md',
  'docs/knowledge.md',
  'docs/lock.md',
  'docs/serve.md',
  'docs/serve-http.md',
])('%s', (page) => {
  const cwd = join(folder, page, 'notes');
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```(yaml|console)\n(.*?)^```$/gms)];
  const steps = blocks.flatMap(([, kind, text = '']) => (kind === 'console' ? readSteps(text) : []));

  beforeAll(() => {
    write(join(cwd.slice(folder.length), 'pets.json'), JSON.stringify(PETS));
    const entry = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
    chmodSync(write('shim/pegboard', entry), 0o755);
    // A board of the pages names it, and no page runs it.
    if (!has('jq')) chmodSync(write('shim/jq', '#!/bin/sh\nexit 1\n'), 0o755);
    chmodSync(write('shim/npx', '#!/bin/sh\nexec "$@"\n'), 0o755);
    // A later block of the same name shows more of the file, and is not what the commands before it read.
    for (const [, kind, text = ''] of blocks.toReversed()) {
      const name = /^# (\S+)\n/.exec(text)?.[1];
      if (kind === 'yaml') write(join(cwd.slice(folder.length), name ?? 'unnamed.yaml'), text);
    }
  });

  it.for(steps)('shows what "$line" prints', async ({ line, expected }) => {
    const env = {
      PATH: `${join(folder, 'shim')}:${process.env['PATH']}`,
      HOME: folder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
    };
    const child = spawn('sh', ['-c', `{ ${line}\n} 2>&1`], { cwd, env, timeout: 200_000 });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await new Promise((settle) => child.on('close', settle));
    const pattern = expected.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
    if (!new RegExp(`^${pattern.join('[^]*')}$`).test(printed)) expect(printed).toBe(expected);
  });
});

function readSteps(block: string): { readonly line: string; readonly expected: string }[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const end = step.indexOf('\n');
      return { line: step.slice(0, end), expected: step.slice(end + 1) };
    });
}

/** A program with two subcommands that prints what it was called with. */
const GREET = `
const args = process.argv.slice(2);
if (!args.includes('--help')) console.log(JSON.stringify(args));
else if (args[0] === 'hello') console.log('Usage: greet hello [OPTIONS] <name>\\n\\nOptions:\\n  -t, --times=N   how often\\n  -q, --quiet     say less');
else if (args[0] === 'bye') console.log('Usage: greet bye\\n\\nOptions:\\n  --help  Show help');
else console.log('Usage: greet <command>\\n\\nCommands:\\n  hello  Say hello to somebody\\n  bye    Say goodbye');
`;

/** An OpenAPI document with an operation to take and one to leave out. */
const PETS = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example.com/v1' }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        summary: 'Show a pet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
      delete: { operationId: 'deletePet', summary: 'Delete a pet', tags: ['admin'] },
    },
  },
};
