import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { type Board, ConfigError, defineKind, defineTool, type Kind, openBoard } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-kind-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'pegboard.yaml');
const env = { PATH: process.env['PATH'], MY_TOKEN: 'correct-horse-battery' };

async function open(text: string, kinds: readonly Kind[]): Promise<Board> {
  writeFileSync(file, text);
  const board = await openBoard({ files: file, kinds, env, cwd: folder });
  onTestFinished(() => board.close());
  return board;
}

async function faultOf(text: string, kinds: readonly Kind[]): Promise<string> {
  const error: unknown = await open(text, kinds).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('It opened.');
  return error.message;
}

const say = (name: string, text: string): ReturnType<typeof defineTool> =>
  defineTool({ name, description: 'Says it.', schema: z.object({}), execute: () => text });

describe('a kind that throws', () => {
  const yaml = 'tools:\n  - { name: a, type: bad, description: A, token: "${MY_TOKEN}" }\n';
  const fail = (): never => {
    throw new Error(`no good: ${env.MY_TOKEN}`);
  };
  const schema = z.object({ token: z.string() });
  const tools = (): ReturnType<typeof defineTool>[] => [say('a', 'ok')];

  it.for([
    ['explain', defineKind({ type: 'bad', schema, tools, explain: fail })],
    ['read', defineKind({ type: 'bad', schema, tools, read: fail })],
    ['names', defineKind({ type: 'bad', schema, tools, names: fail })],
    ['uses', defineKind({ type: 'bad', schema, tools, uses: fail })],
    ['secrets', defineKind({ type: 'bad', schema, tools, secrets: fail })],
    ['check', defineKind({ type: 'bad', schema, tools, check: fail })],
    ['tools', defineKind({ type: 'bad', schema, tools: fail })],
  ] as const)('in %s is told at the place of the entry, without secrets', async ([, kind]) => {
    expect(await faultOf(yaml, [kind])).toMatch(
      /^pegboard\.yaml:2:5 tools\[0\]: cannot be loaded: no good: \[redacted\]\n/,
    );
  });

  it('or never ends in check or tools is told so, and the board goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const hang = (): Promise<never> => {
      // The clock starts once the kind was asked.
      setImmediate(() => vi.advanceTimersByTime(30_000));
      return new Promise(() => {});
    };
    for (const kind of [
      defineKind({ type: 'bad', schema, tools, check: hang }),
      defineKind({ type: 'bad', schema, tools: hang }),
    ]) {
      expect(await faultOf(yaml, [kind])).toContain('tools[0]: the kind "bad" did not finish within 30 s.');
    }
  });

  it('in dryRun tells no secret', async () => {
    const board = await open(yaml, [defineKind({ type: 'bad', schema, tools, dryRun: fail })]);
    await expect(board.dryRun('a')).rejects.toThrow('Tool "a" failed: no good: [redacted]');
  });

  it('in pathArguments does not open under roots, and tells no secret', async () => {
    const kind = defineKind({
      type: 'bad',
      schema,
      tools: ({ metadata }) => [defineTool({ ...metadata, schema: z.object({}), execute: () => 'ok' })],
      pathArguments: fail,
    });
    const fault = await faultOf(`policy: { roots: [.] }\n${yaml}`, [kind]);
    expect(fault).toContain('the paths of the tool "a" cannot be found: no good: [redacted]');
  });
});

describe('what a kind makes', () => {
  const yaml = 'tools:\n  - { name: a, type: odd, description: A }\n';
  // Plugins may be written without types.
  const odd = (made: unknown, more = {}): Kind =>
    defineKind({ type: 'odd', schema: z.object({}), tools: () => made as never, ...more });

  it.for([undefined, null, say('a', 'x'), 'a'])('must be a list', async (made) => {
    expect(await faultOf(yaml, [odd(made)])).toContain(
      'pegboard.yaml:2:5 tools[0]: the kind "odd" must give a list of tools, made by defineTool, createTool or a class.',
    );
  });

  it.for([1, undefined, {}])('must be a list of tools', async (item) => {
    const fault = await faultOf(yaml, [odd([item], { names: () => undefined })]);
    expect(fault).toContain('pegboard.yaml:2:5 tools[0]: Not a tool: ');
  });

  it.for([
    ['check', 'all good', 'a list of { path, message }; got "all good"'],
    ['check', [{ message: 'x' }], 'a list of { path, message }; got an object at [0]'],
    ['explain', 7, 'a list of { path, message }; got 7'],
    ['secrets', ['x'], 'a list of { name, value }; got "x" at [0]'],
    ['uses', {}, 'a list of { type, name, path }; got an object'],
    ['names', 7, 'a list of names; got 7'],
  ] as const)('of %s must have the promised form', async ([method, given, expected]) => {
    const kind = odd([say('a', 'x')], { [method]: () => given });
    const fault = await faultOf(yaml, [kind]);
    expect(fault).toContain(`pegboard.yaml:2:5 tools[0]: ${method}() of the kind "odd" must return ${expected}.`);
  });

  it('may be tools in their plainest form', async () => {
    const plain = { metadata: { name: 'a', description: 'A' }, schema: z.object({}), execute: () => 'plain' };
    const board = await open(yaml, [odd([plain])]);
    expect(await board.call('a')).toMatchObject({ ok: true, text: 'plain' });
  });

  it('takes the place of an earlier tool with a warning that names both places', async () => {
    const text = 'tools:\n  - { name: a, type: cli, description: A, command: echo a }\n';
    const board = await open(`${text}  - { name: b, type: odd, description: B }\n`, [
      odd([say('a', 'other')], { names: () => ['a'] }),
    ]);
    expect(board.diagnostics).toMatchObject([
      { severity: 'warning', path: ['tools', 1], message: 'the tool "a" stands in line 2 too; this one is used.' },
    ]);
    expect(await board.call('a')).toMatchObject({ text: 'other' });
  });
});

it('makes tools again when settings changed that no comparison can look into', async () => {
  class Hidden {
    readonly #text: string;
    constructor(text: string) {
      this.#text = text;
    }
    read(): string {
      return this.#text;
    }
  }
  const kind = defineKind({
    type: 'hidden',
    schema: z.object({ text: z.string() }),
    read: ({ text }, context) => new Hidden(`${text} ${context.env['MODE']}`),
    tools: ({ metadata, settings }) => [
      defineTool({ ...metadata, schema: z.object({}), execute: () => settings.read() }),
    ],
  });
  const yaml = (text: string, mode: string): string =>
    `env: { MODE: ${mode} }\ntools:\n  - { name: a, type: hidden, description: A, text: ${text} }\n`;
  const board = await open(yaml('one', 'x'), [kind]);
  expect(await board.call('a')).toMatchObject({ text: 'one x' });
  for (const [text, mode] of [
    ['two', 'x'],
    ['two', 'y'],
  ] as const) {
    writeFileSync(file, yaml(text, mode));
    await board.reload();
    expect(await board.call('a')).toMatchObject({ text: `${text} ${mode}` });
  }
});

it('asks a kind that follows servers about paths, questions and dry runs as any other', async () => {
  const kind = defineKind({
    type: 'live',
    schema: z.object({}),
    isLive: true,
    tools: ({ metadata }) => [
      defineTool({ ...metadata, schema: z.object({ file: z.string() }), execute: ({ file: path }) => path }),
    ],
    pathArguments: () => ({ names: ['file'], folders: () => [folder] }),
    confirmMessage: async () => 'Really read {file}?',
    dryRun: ({ input }) => [{ type: 'action', title: `read ${String(input['file'])}` }],
  });
  writeFileSync(file, 'policy: { roots: [.] }\ntools:\n  - { name: a, type: live, description: A }\n');
  const asked: string[] = [];
  const board = await openBoard({
    files: file,
    kinds: [kind],
    env,
    cwd: folder,
    data: join(folder, 'data'),
    approve: ({ message }) => asked.push(message) > 0,
  });
  onTestFinished(() => board.close());
  expect(board.diagnostics).toEqual([]);
  expect(await board.call('a', { file: 'x' })).toMatchObject({ text: 'x' });
  expect(await board.call('a', { file: '../x' })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect(asked).toEqual(['a (write): Really read "x"?']);
  expect((await board.dryRun('a', { file: 'x' })).steps).toHaveLength(1);
});

it('checks the paths that an entry names besides those that its tool names', async () => {
  const kind = defineKind({
    type: 'two',
    schema: z.object({}),
    tools: ({ metadata }) => [
      defineTool({
        ...metadata,
        paths: ['from'],
        schema: z.object({ from: z.string().optional(), to: z.string().optional() }),
        execute: () => 'done',
      }),
    ],
  });
  const board = await open(
    'policy: { roots: [.], approval: { global: none } }\ntools:\n  - { name: a, type: two, description: A, paths: [to] }\n',
    [kind],
  );
  expect(await board.call('a', { from: join(folder, 'x'), to: join(folder, 'y') })).toMatchObject({ ok: true });
  expect(await board.call('a', { to: '/etc/passwd' })).toMatchObject({
    ok: false,
    error: { code: 'invalid_arguments' },
  });
  expect(await board.call('a', { from: '/etc/passwd' })).toMatchObject({
    ok: false,
    error: { code: 'invalid_arguments' },
  });
});
