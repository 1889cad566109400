import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type Board,
  type BoardOptions,
  ConfigError,
  defineKind,
  definePlugin,
  defineTool,
  openBoard,
} from '../src/index.ts';
import { defineAgent, runAgent } from '../src/agent.ts';
import { scriptedModel } from '../src/testing.ts';
import { createTestEmbedder } from '../src/vectors/test-embedder.ts';
import { createMemoryStore } from '../src/knowledge/stores/sqlite/sqlite-store.ts';
import { entryFile } from './cli-program.test-helper.ts';

const top = mkdtempSync(join(tmpdir(), 'pegboard-open-'));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true }));

const greet = defineTool({
  name: 'greet',
  description: 'Greets a person.',
  risk: 'read',
  schema: z.object({ name: z.string() }),
  execute: ({ name }) => `Hello ${name}`,
});
const wipe = defineTool({
  name: 'wipe',
  description: 'Deletes every file.',
  risk: 'destructive',
  schema: z.object({}),
  execute: () => 'gone',
});
const shout = defineKind({
  type: 'shout',
  schema: z.object({ text: z.string().max(5), file: z.string().optional() }),
  paths: ['file'],
  tools: ({ metadata, settings }) => [
    defineTool({
      ...metadata,
      schema: z.object({}),
      execute: () => `${settings.text.toUpperCase()} ${settings.file ?? ''}`.trim(),
    }),
  ],
});

async function open(options: BoardOptions): Promise<Board> {
  const board = await openBoard({ cwd: folder, data: join(top, 'data'), ...options });
  onTestFinished(() => board.close());
  return board;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('a board without files', () => {
  it('calls its tools, and ranks them', async () => {
    const board = await open({ tools: [wipe, greet] });
    expect((await board.call('greet', { name: 'Ada' })).text).toBe('Hello Ada');
    expect(board.search('say hello to a person').map(({ metadata }) => metadata.name)[0]).toBe('greet');
    expect(board.files).toEqual([]);
  });

  it('asks before a call, as the policy of the options says', async () => {
    const asked: string[] = [];
    const board = await open({
      tools: [greet, wipe],
      policy: { approval: { global: 'destructive' } },
      approve: (request) => {
        asked.push(request.tool);
        return false;
      },
    });
    expect((await board.call('greet', { name: 'Ada' })).ok).toBe(true);
    const refused = await board.call('wipe');
    expect(refused.ok ? undefined : refused.error.code).toBe('permission_denied');
    expect(asked).toEqual(['wipe']);
  });

  it('names the option that is wrong', async () => {
    // Code without types may pass anything.
    const wrong = { approval: 'sometimes' } as never;
    const error = await openBoard({ policy: wrong, cwd: folder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('openBoard():3:18 policy.approval: must be object');
  });

  it('takes a variable in an option for a text', async () => {
    const board = await open({ tools: [greet], policy: { deny: [{ name: '${greet}' }] }, env: { greet: 'greet' } });
    expect(board.registry.has('greet')).toBe(true);
  });

  it('has the collections of the options', async () => {
    const board = await open({ knowledge: { collections: { notes: {} } } });
    const knowledge = await board.knowledge();
    await knowledge.collection('notes').store({ content: 'The code for the door is a fish.' });
    const { hits } = await knowledge.collection('notes').search('code for the door', {});
    expect(hits[0]?.text).toContain('fish');
  });
});

function fail(): never {
  throw new Error('boom');
}

/** The faults for which a board does not open. */
async function faultsOf(options: BoardOptions): Promise<ConfigError['diagnostics']> {
  const error = await openBoard({ cwd: folder, ...options }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error(`the board is refused with a ConfigError: ${String(error)}`);
  return error.diagnostics;
}

/** The code of a plugin with one kind. */
function plugin(type: string): string {
  const index = JSON.stringify(entryFile('index'));
  return `import { defineKind, definePlugin } from ${index};
export default definePlugin({ kinds: [defineKind({ type: '${type}', schema: { type: 'object' }, tools: () => [] })] });
`;
}

describe('a board of files and code', () => {
  it('has the tools of both; those of code win, with a warning', async () => {
    const files = write(
      'both.yaml',
      'tools:\n  - { type: cli, name: greet, description: Echoes, command: echo }\n  - { type: cli, name: say, description: Says, command: echo hi }\n',
    );
    const board = await open({ files, tools: [greet] });
    expect((await board.call('greet', { name: 'Ada' })).text).toBe('Hello Ada');
    expect((await board.call('say')).text).toBe('hi\n');
    expect(board.diagnostics.map(({ message }) => message)).toContain(
      'the tool "greet" is among the tools given in code too; that one is used.',
    );
    expect(await board.reload()).toEqual({ ok: true });
    expect((await board.call('greet', { name: 'Eve' })).text).toBe('Hello Eve');
  });

  it('has nothing of a file about a tool of code that takes the place of one of its own', async () => {
    const inCode = defineTool({
      name: 'wipe',
      description: 'Deletes a file.',
      paths: ['file'],
      schema: z.object({ file: z.string().optional() }),
      execute: () => 'gone',
    });
    const asked: string[] = [];
    const entry = 'type: cli, description: W, command: echo, confirm_message: Only prints.';
    const board = await open({
      files: write('wipe.yaml', `tools: [{ name: wipe, ${entry} }]`),
      tools: [inCode],
      policy: { approval: { global: 'write' } },
      approve: ({ message }) => asked.push(message) > 0,
    });
    expect(await board.call('wipe')).toMatchObject({ text: 'gone' });
    expect(asked).toEqual(['Allow wipe (write) without arguments?']);
    expect(await board.dryRun('wipe')).toMatchObject({ tool: 'wipe', steps: [] });
  });

  it('is not read again once it is closed, and may be closed twice', async () => {
    const board = await open({ files: write('closed.yaml', 'tools: []'), tools: [greet] });
    await board.close();
    await board.close();
    const outcome = await board.reload();
    expect(outcome.ok ? '' : outcome.error.message).toContain('cannot be loaded: the board is closed. Open it again.');
  });

  it('has a tool of code in the place of one that is off', async () => {
    const file = write('off.yaml', 'tools: [{ name: wipe, type: cli, description: W, command: "echo ${NOT_SET}" }]');
    const board = await open({ files: file, tools: [wipe], env: {} });
    expect(await board.call('wipe')).toMatchObject({ text: 'gone' });
    expect(board.unavailable).toEqual([]);
  });

  it('asks before a request whose entry states no risk, also when it is a GET', async () => {
    const entry = 'type: http, description: W, schema: { type: object }, requests: [{ url: "http://127.0.0.1/wipe" }]';
    const files = write('get.yaml', `policy: { approval: { global: write } }\ntools: [{ name: wipe, ${entry} }]`);
    const board = await open({ files, approve: () => false });
    expect(board.registry.get('wipe')?.metadata.risk).toBe('write');
    expect(await board.call('wipe')).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
  });

  it('obeys both policies', async () => {
    const files = write('policy.yaml', 'policy: { deny: [greet] }\n');
    const board = await open({ files, tools: [greet, wipe], policy: { deny: ['wipe'] } });
    expect(board.registry.names()).not.toContain('greet');
    expect(board.registry.names()).not.toContain('wipe');
  });

  it('knows the kinds of code, their paths and the faults that only their schema finds', async () => {
    const files = write(
      'kinds.yaml',
      'tools: [{ type: shout, name: hey, description: Shouts, text: hey, file: ./x.txt }]\n',
    );
    const board = await open({ files, kinds: [shout], cwd: tmpdir() });
    expect((await board.call('hey')).text).toBe(`HEY ${join(folder, 'x.txt')}`);
    const wrong = write('wrong.yaml', 'tools: [{ type: shout, name: hey, description: Shouts, text: too long }]\n');
    const error = await openBoard({ files: wrong, kinds: [shout], cwd: folder }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('wrong.yaml:1:62 tools[0].text: must be at most 5 characters long, got 8.');
  });

  it('takes the risk of an entry that states none from its kind', async () => {
    const reader = defineKind({
      type: 'reader',
      schema: z.object({ writes: z.boolean().default(false) }),
      guessRisk: ({ writes }) => (writes ? 'write' : 'read'),
      tools: ({ metadata }) => [defineTool({ ...metadata, schema: z.object({}), execute: () => 'x' })],
    });
    const entry = (name: string, more: string): string =>
      `  - { type: reader, name: ${name}, description: A${more} }\n`;
    const files = write(
      'risks.yaml',
      `tools:\n${entry('a', '')}${entry('b', ', writes: true')}${entry('c', ', risk: destructive')}`,
    );
    const board = await open({ files, kinds: [reader] });
    expect(['a', 'b', 'c'].map((name) => board.registry.get(name)?.metadata.risk)).toEqual([
      'read',
      'write',
      'destructive',
    ]);
  });

  it.each([
    ['read', { read: fail }],
    ['check', { check: fail }],
    ['explain', { explain: fail }],
    ['tools', { tools: fail }],
  ])('tells what %s of a kind throws at the place of the entry', async (_, methods) => {
    const base = { type: 'odd', schema: z.object({}), tools: () => [] };
    const files = write('odd.yaml', 'tools:\n  - { type: odd, name: a, description: A }\n');
    const [fault] = await faultsOf({ files, kinds: [defineKind({ ...base, ...methods })] });
    expect(fault).toMatchObject({ path: ['tools', 0], message: 'cannot be loaded: boom', place: { line: 2 } });
  });

  it.each([
    ['one tool', () => greet, 'the kind "odd" must give a list of tools, made by defineTool, createTool or a class.'],
    [
      'an object that is no tool',
      () => [{ name: 'greet' }],
      'Not a tool: an object. Make one with createTool(), defineTool() or a class that extends ToolDefinition.',
    ],
  ])('says what a kind must give that gives %s', async (_, tools, message) => {
    const base = { type: 'odd', schema: z.object({}) };
    const files = write('odd.yaml', 'tools:\n  - { type: odd, name: greet, description: A }\n');
    // Code without types may give anything.
    const [fault] = await faultsOf({ files, kinds: [defineKind({ ...base, tools: tools as never })] });
    expect(fault?.message).toBe(message);
  });

  it('refuses a plugin that is none', async () => {
    // Code without types may give anything.
    const error = await openBoard({ plugins: [shout as never] }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('plugins[0] is no plugin. Make it with definePlugin({ kinds: […] }).');
  });

  it('refuses an option that there is not, so that no policy is lost', async () => {
    const options = { tools: [greet], polcy: { deny: ['greet'] } };
    const error = await openBoard(options).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('openBoard has no option "polcy". Did you mean "policy"?');
  });

  it('refuses two kinds of one type', async () => {
    const error = await openBoard({ kinds: [{ ...shout, type: 'cli' }] }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('There are two kinds of tools with the type "cli".');
  });
});

describe('a plugin', () => {
  it('brings stores, embedders and models that the config names', async () => {
    const plugin = definePlugin({
      name: 'all',
      stores: { shelf: () => createMemoryStore() },
      embedders: { tiny: () => createTestEmbedder() },
      providers: {
        acme: ({ model }) => scriptedModel([`I am ${model}.`]),
      },
    });
    const files = write(
      'plugin.yaml',
      [
        'rag:',
        '  servers: { default: { driver: shelf } }',
        '  vectorizer: { platform: tiny }',
        '  collections: { notes: {} }',
        'agents: { helper: { provider: acme, model: m1 } }',
      ].join('\n'),
    );
    const board = await open({ files, plugins: [plugin] });
    const notes = (await board.knowledge()).collection('notes');
    await notes.store({ content: 'Fish swim.' });
    expect((await notes.search('fish', {})).hits[0]?.text).toContain('Fish swim.');
    const agent = defineAgent({ name: 'helper', model: { provider: 'acme', model: 'm1' } });
    expect((await runAgent(agent, 'Who are you?', { board })).text).toBe('I am m1.');
    const without = await openBoard({ files, cwd: folder }).catch((thrown: unknown) => thrown);
    expect(String(without)).toContain(
      'agents.helper.provider: must be one of "openai", "anthropic", "openai-compatible", "ollama", "lmstudio", "vllm"; got "acme".',
    );
  });

  it('is named by a file, and loaded from beside it', async () => {
    write(
      'loud.mjs',
      `export default { [Symbol.for('pegboard.plugin')]: true, kinds: [] };
export const nothing = 1;`,
    );
    const files = write('named.yaml', 'plugins: [./loud.mjs]\ntools: []\n');
    expect((await open({ files })).plugins).toHaveLength(1);
  });

  it.each([
    ['./gone.mjs', `there is no file ${join(folder, 'gone.mjs')}.`],
    [
      'no-such-pegboard-plugin',
      `it is not installed. Run npm install no-such-pegboard-plugin in ${folder}, or write a path that begins with ./.`,
    ],
    ['empty.mjs', 'it is a file, and files are named with ./ before them. Write "./empty.mjs".'],
    ['./empty.mjs', 'it exports no plugin. Write export default definePlugin({ kinds: […] }).'],
  ])('that cannot be loaded is told at its place: %s', async (name, message) => {
    write('empty.mjs', 'export const x = 1;');
    const files = write('bad.yaml', `plugins: [${name}]\n`);
    const error = await openBoard({ files, cwd: folder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain(`bad.yaml:1:11 plugins[0]: the plugin "${name}" cannot be used: ${message}\n`);
  });

  it('that cannot be loaded is the only fault: that its kinds are not known follows from it', async () => {
    const files = write('follow.yaml', 'plugins: [./gone.mjs]\ntools: [{ type: gone, name: a, description: A }]\n');
    expect((await faultsOf({ files })).map(({ path }) => path)).toEqual([['plugins', 0]]);
  });

  it('that is forgotten is asked for where its kind is used', async () => {
    const files = write('forgot.yaml', 'tools: [{ type: shout, name: a, description: A }]\n');
    expect((await faultsOf({ files })).map(({ message }) => message)).toEqual([
      'must be one of "cli", "run", "http", "rag", "mcp", "script", "program"; got "shout". A kind of your own needs its plugin under plugins.',
    ]);
  });

  it('names the plugin that has a kind of the same type', async () => {
    write('one.ts', plugin('shout'));
    write('two.ts', plugin('shout'));
    const files = write('twice.yaml', 'plugins: [./one.ts, ./two.ts]\n');
    expect((await faultsOf({ files })).map(({ message }) => message)).toEqual([
      'the plugin "./two.ts" cannot be used: it has a kind "shout", but "./one.ts" has one of that type already. Rename one, or leave out one of the plugins.',
    ]);
  });
});
