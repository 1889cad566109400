// A folder that someone else wrote: commands that only look, and Tab, run nothing that its config names until a person trusts it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../../src/index.ts';
import { allCommands } from '../../src/cli/command-line/commands.ts';
import { CLI, entryFile } from '../cli-program.test-helper.ts';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Clone {
  readonly folder: string;
  /** Runs the real command line in the folder. */
  pegboard(...args: string[]): Promise<Outcome>;
  /** The marks that code of the folder left; they are taken away. */
  marks(): string[];
}

/** A folder whose config names code of every kind; each leaves a mark when it runs. */
function clone(more: string = ''): Clone {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-clone-')));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const marks = mkdtempSync(join(top, 'marks-'));
  const folder = mkdtempSync(join(top, 'repo-'));
  const mark = (name: string): string =>
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(marks, name))}, '');\n`;
  writeFileSync(
    join(folder, 'plugin.mjs'),
    `${mark('plugin')}
import { defineKind, definePlugin, defineTool } from ${JSON.stringify(entryFile('index'))};
const tools = ({ metadata }) => [defineTool({ ...metadata, schema: { type: 'object' }, execute: () => 'x' })];
export default definePlugin({ kinds: [defineKind({ type: 'odd', schema: { type: 'object' }, tools })] });
`,
  );
  writeFileSync(
    join(folder, 'tools.mjs'),
    `${mark('script')}export const tool = { metadata: { name: 'scripted', description: 'Does.' }, schema: { type: 'object' }, execute: () => 'done' };\n`,
  );
  const touch = (name: string): string =>
    JSON.stringify(['sh', '-c', `touch ${join(marks, name)}; echo a-secret-value`]);
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `plugins: [./plugin.mjs]
variables:
  TOKEN: { secret: { command: ${touch('secret')} } }
mcpServers:
  evil: { command: sh, args: ['-c', 'touch ${join(marks, 'server')}'] }
tools:
  - { name: odd_one, type: odd, description: Of a plugin }
  - { type: script, file: tools.mjs }
  - { name: fetch, type: http, description: Fetch, requests: [{ url: 'https://api.example.com/\${TOKEN}' }] }
  - { name: greet, type: cli, description: Greet, risk: read, command: 'echo hi' }
policy: { allow: [fetch, greet, odd_one, scripted], approval: { tools: { scripted: true } } }
${more}`,
  );
  return {
    folder,
    pegboard: (...args) => {
      const env = { PATH: process.env['PATH'], HOME: top };
      const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      return new Promise((settle) => child.on('close', (code) => settle({ code, stdout, stderr })));
    },
    marks: () => {
      const found = readdirSync(marks).toSorted();
      for (const name of found) rmSync(join(marks, name));
      return found;
    },
  };
}

/** The commands that only look, with arguments that bring each as far as it goes; `undefined` for those that run or change something. */
const LOOKS: Readonly<Record<string, readonly string[] | undefined>> = {
  validate: [],
  stop: [],
  doctor: [],
  lock: ['--check'],
  list: [],
  search: ['greet'],
  show: ['greet'],
  learned: [],
  types: [],
  emit: [],
  'code list': [],
  'code show': ['none'],
  'code cancel': ['none'],
  publish: [],
  login: [],
  'mcp list': [],
  calls: [],
  'calls show': ['none'],
  'calls forget': ['--caller', 'none'],
  'audit verify': [],
  'audit export': [],
  'approvals list': [],
  'approvals show': ['none'],
  status: [],
  'store status': [],
  'store migrate': [],
  'store vacuum': [],
  agents: [],
  'runs list': [],
  'runs show': ['none'],
  'runs cancel': ['none'],
  prompt: [],
  export: ['--format', 'openai'],
  tokens: [],
  'rag status': [],
  schema: [],
  completion: ['bash'],
  docs: [],
  'mcp add': ['other', '--', 'node', 'server.js'],
  'mcp remove': ['other'],
  uninstall: ['--dry-run'],
};

/** Those that run something of the board, or that write a config. */
const RUNS: readonly string[] = (
  'init, add, trust, eval, enrich, call, code, code resume, code save, inspect, serve, bundle, mcp import, mcp update, mcp login, ' +
  'calls replay, approvals allow, approvals deny, store copy, agent, runs resume, import openapi, import cli, rag index, rag search, ' +
  'rag store, rag eval, rag watch, rag reindex, rag copy, rag clear'
).split(', ');

describe('in a folder that nobody trusted', () => {
  it('each command is known to look or to run', async () => {
    expect([...Object.keys(LOOKS), ...RUNS].toSorted()).toEqual(Object.keys(await allCommands()).toSorted());
  });

  it.for(Object.entries(LOOKS))('pegboard %s runs nothing', async ([name, args = []]) => {
    const { pegboard, marks } = clone();
    const { code, stderr } = await pegboard(...name.split(' '), ...args);
    expect(marks()).toEqual([]);
    // A command that does not know its arguments would run nothing anyhow.
    expect([code, stderr]).not.toEqual([2, expect.stringContaining(' has no option ')]);
  });

  it.for([
    ['call', ''],
    ['show', 'f'],
    ['call', 'odd_one', ''],
    ['mcp', 'login', ''],
    ['agent', ''],
  ])('Tab after %j runs nothing', async (words) => {
    const { pegboard, marks } = clone();
    await pegboard('__complete', '--', ...words);
    expect(marks()).toEqual([]);
  });

  it('says nothing of the length of a secret that it did not resolve', async () => {
    const { folder, pegboard } = clone();
    const config = { variables: { X: { secret: { command: ['echo', 'long-enough-to-redact'] } } } };
    const agents = { helper: { provider: 'openai', model: 'm', api_key: '${X}', system: 'Be terse.' } };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ ...config, agents }));
    const { stdout } = await pegboard('validate');
    expect(stdout).toContain('variables.X: its secret is not resolved');
    expect(stdout).not.toContain('fewer than');
  });

  it('says what it did not load, and how to go on', async () => {
    const { pegboard } = clone();
    const { code, stdout } = await pegboard('validate');
    const why =
      'this command only reads, and this folder is not trusted. Review its files, then run pegboard trust, or add --trust.';
    expect(stdout).toContain(`the plugin "./plugin.mjs" is not loaded, so its contributions are unknown: ${why}`);
    expect(stdout).toContain(`tools[1]: the script is not loaded, so its tools are not known: ${why}`);
    expect(stdout).toContain(`variables.TOKEN: its secret is not resolved: ${why}`);
    expect(code).toBe(0);
    const listed = await pegboard('list');
    expect(listed.stdout).toMatch(/fetch[\s\S]*greet/);
    expect(listed.stderr).toContain('the plugin "./plugin.mjs" is not loaded');
    expect((await pegboard('show', 'fetch')).stdout).toContain('https://api.example.com/[redacted]');
  });

  it('a lock that the folder brings is no trust', async () => {
    const { folder, pegboard, marks } = clone();
    const board = await openBoard({
      files: 'pegboard.yaml',
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      lock: 'ignore',
      servers: 'cached',
    });
    board.lock.write();
    await board.close();
    expect(marks()).toEqual(['plugin', 'script', 'secret']);
    const { stdout } = await pegboard('lock', '--check');
    expect(marks()).toEqual([]);
    expect(stdout).toContain('The MCP server "evil" did not list its tools');
  });

  it('sends nothing to a store that the folder names', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const { pegboard } = clone(`store: 'postgres://\${HOME}@127.0.0.1:${port}/x'\n`);
    const { code, stderr } = await pegboard('calls');
    expect(stderr).toContain('the address under store is made of variables or secrets, which are not filled in');
    expect([code, connections]).toEqual([1, 0]);
  });
});

describe('in a folder that a person trusted', () => {
  it('commands that look run what the config names, until the trust is taken back', async () => {
    const { pegboard, marks, folder } = clone();
    const trusted = await pegboard('trust');
    expect(marks()).toEqual([]);
    expect(trusted.stdout).toContain('plugin  ./plugin.mjs');
    expect(trusted.stdout).toContain('script  tools.mjs');
    expect(trusted.stdout).toMatch(/secret {2}TOKEN: command sh -c touch/);
    expect(trusted.stdout).toMatch(/server {2}evil: sh -c touch/);
    expect(trusted.stdout).toContain('Trusted: this folder\n');
    expect((await pegboard('trust', '--list')).stdout).toBe(`${folder}\n`);
    expect((await pegboard('list')).stdout).toMatch(/odd_one[\s\S]*scripted/);
    expect(marks()).toEqual(['plugin', 'script', 'secret']);
    await pegboard('trust', '--remove');
    await pegboard('list');
    expect(marks()).toEqual([]);
    expect((await pegboard('list', '--trust')).stdout).toContain('odd_one');
    expect(marks()).toEqual(['plugin', 'script', 'secret']);
  });

  it('pegboard lock trusts the folder that it pins', async () => {
    const { folder, pegboard, marks } = clone();
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      'plugins: [./plugin.mjs]\ntools: [{ name: odd_one, type: odd, description: Of a plugin }]\n',
    );
    expect((await pegboard('lock')).code).toBe(0);
    expect(marks()).toEqual(['plugin']);
    expect(await pegboard('lock', '--check')).toMatchObject({ code: 0, stdout: 'All tools match the lock.\n' });
    expect(existsSync(join(folder, 'pegboard.lock'))).toBe(true);
  });
});

it('a board that is opened to look calls nothing', async () => {
  const { folder, marks } = clone();
  const board = await openBoard({ files: 'pegboard.yaml', cwd: folder, env: {}, mode: 'look' });
  onTestFinished(() => board.close());
  expect((await board.call('greet')).error).toMatchObject({ code: 'permission_denied' });
  expect(await board.ready()).toHaveLength(1);
  expect(await board.servers[0]?.connect()).toContain('It is not started');
  expect(marks()).toEqual([]);
});
