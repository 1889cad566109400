// Tools that take one of several sets of arguments: told variant by variant, for every caller and on every way.
import { CLI, entryFile } from './cli-program.test-helper.ts';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  createDiscoveryTools,
  defineTool,
  generatePrompt,
  ToolIndex,
  ToolRegistry,
  type ToolSchema,
} from '../src/index.ts';
import { McpServer } from '../src/mcp.ts';
import { TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { fixture, openServers } from './upstream-boards.test-helper.ts';

const byId = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const byName = {
  type: 'object',
  properties: { name: { type: 'string' }, exact: { type: 'boolean' } },
  required: ['name'],
};

function board(schema: ToolSchema): ToolRegistry {
  return new ToolRegistry().register(defineTool({ name: 't', description: 'Finds.', schema, execute: (args) => args }));
}

async function refusal(schema: ToolSchema, args: unknown): Promise<string> {
  const { error, text } = await board(schema).call('t', args);
  expect(error?.code).toBe('invalid_arguments');
  return text;
}

const actions = z.discriminatedUnion('action', [
  z.object({ action: z.literal('create'), path: z.string() }),
  z.object({ action: z.literal('delete'), id: z.number().int(), force: z.boolean().optional() }),
]);

describe('a wrong call of a union', () => {
  it('is told what the variant takes that its mark names', async () => {
    expect(await refusal(actions, { action: 'delete' })).toBe(
      'Invalid arguments for "t":\n- id: is required\n' +
        'With action "delete" it takes: action (delete), id (integer), force (boolean, optional). action may also be "create". Correct these and call again.',
    );
  });

  it('is told of the nearest variant when its mark is misspelt', async () => {
    expect(await refusal(actions, { action: 'creat', path: 'x' })).toContain(
      'With action "create" it takes: action (create), path (string). action may also be "delete".',
    );
  });

  it.each<[string, ToolSchema]>([
    ['zod', z.union([z.object({ id: z.int() }), z.object({ name: z.string(), exact: z.boolean().optional() })])],
    ['anyOf', { anyOf: [byId, byName] }],
    ['oneOf', { oneOf: [byId, byName] }],
    ['a reference to a union', { $ref: '#/$defs/U', $defs: { U: { anyOf: [byId, byName] } } }],
    ['references', { anyOf: [{ $ref: '#/$defs/I' }, { $ref: '#/$defs/N' }], $defs: { I: byId, N: byName } }],
    ['allOf around a union', { allOf: [{ type: 'object' }, { oneOf: [byId, byName] }] }],
  ])('lists all variants where none is nearest: %s', async (_, schema) => {
    const text = await refusal(schema, {});
    expect(text).toMatch(
      /^Invalid arguments for "t":\n- arguments: (?:needs id or name|match none of its sets of arguments)\n/,
    );
    expect(text.split('\n').at(-1)).toBe(
      'It takes one of: { id (integer) } or { name (string), exact (boolean, optional) }. Correct these and call again.',
    );
  });

  it('is told what is wrong by the variant whose keys it has', async () => {
    const union = z.union([z.object({ id: z.int() }), z.object({ name: z.string(), exact: z.boolean() })]);
    expect(await refusal(union, { id: 'seven' })).toContain('- id: Invalid input: expected number, received string\n');
    expect(await refusal(union, { name: 'x' })).toContain('- exact: is required\n');
  });

  it('reads conditions as variants', async () => {
    const when = (kind: string, key: string): object => ({
      if: { properties: { kind: { const: kind } }, required: ['kind'] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
      then: { properties: { [key]: { type: 'integer' } }, required: [key] },
    });
    const schema = {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] } },
      required: ['kind'],
      allOf: [when('a', 'x'), when('b', 'y')],
    };
    expect(await refusal(schema, { kind: 'b' })).toBe(
      'Invalid arguments for "t":\n- y: is required\n' +
        'With kind "b" it takes: kind (b), y (integer). kind may also be "a". Correct these and call again.',
    );
    expect(await refusal(schema, {})).toContain(
      'It takes one of: { kind (a), x (integer) } or { kind (b), y (integer) }.',
    );
  });

  it('describes unions inside an argument', async () => {
    const target = z.union([
      z.object({ kind: z.literal('file'), path: z.string() }),
      z.object({ kind: z.literal('url'), url: z.string(), depth: z.int().optional() }),
    ]);
    expect(await refusal(z.object({ target }), { target: { kind: 'url' } })).toBe(
      'Invalid arguments for "t":\n- target.url: is required\n' +
        'It takes: target ({ kind: file, path: string }|{ kind: url, url: string, depth?: integer }). Correct these and call again.',
    );
  });

  it('ends where a schema refers to itself, and stays short for a large one', async () => {
    const tree = {
      type: 'object',
      properties: { left: { $ref: '#/$defs/Tree' }, right: { $ref: '#/$defs/Tree' }, value: { type: 'string' } },
      required: ['value'],
    };
    const schema = {
      $ref: '#/$defs/Tree',
      $defs: {
        Tree: { anyOf: [tree, { type: 'object', properties: { leaf: { $ref: '#/$defs/Tree' } }, required: ['leaf'] }] },
      },
    };
    expect(await refusal(schema, { value: 1 })).toContain('- value: must be string, got number 1\n');
    const many = Array.from({ length: 200 }, (_, n) => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 30 }, (__, m) => [`argument_${n}_${m}`, { type: 'string' }])),
      required: [`argument_${n}_0`],
    }));
    expect((await refusal({ anyOf: many }, {})).length).toBeLessThan(3000);
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`argument_${n}`, { type: 'string' }]));
    const text = await refusal({ type: 'object', properties: wide, required: ['argument_499'] }, {});
    expect(text.length).toBeLessThan(1600);
    expect(text).toContain('argument_499 (string)');
    expect(text).toMatch(/and \d+ more\. Correct these/);
  });

  it('is told as plainly when it has no arguments to give', async () => {
    expect(await refusal({ type: 'object', additionalProperties: false }, { a: 1 })).toContain(
      'This tool takes no arguments: send {}.',
    );
    expect(await refusal(z.record(z.string(), z.number()), { a: 'b' })).toContain('It takes: any keys.');
  });
});

describe('a value that is missing', () => {
  it.each<[string, ToolSchema]>([
    ['zod', z.object({ path: z.string(), mode: z.enum(['a', 'b']) })],
    ['valibot', v.object({ path: v.string(), mode: v.picklist(['a', 'b']) })],
    ['arktype', type({ path: 'string', mode: "'a'|'b'" })],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { path: { type: 'string' }, mode: { enum: ['a', 'b'] } },
        required: ['path', 'mode'],
      },
    ],
  ])('is told as required, by the words of no library: %s', async (_, schema) => {
    const { error } = await board(schema).call('t', {});
    const issues = error?.issues.toSorted((a, b) => String(b.path).localeCompare(String(a.path)));
    expect(issues?.map(({ path }) => path)).toEqual([['path'], ['mode']]);
    expect(issues?.[0]?.message).toBe('is required');
    expect(issues?.[1]?.message).toMatch(/^is required(?:: "a" or "b")?$/);
  });

  it('keeps what an author wrote about it', async () => {
    const schema = z.object({ path: z.string('Name the folder to look in'), end: z.number().optional() });
    const ranged = schema.check((context) => {
      const message = 'must be given with "/"';
      if (context.value.path === '/') context.issues.push({ code: 'custom', path: ['end'], message, input: undefined });
    });
    expect(await refusal(ranged, {})).toContain('- path: Name the folder to look in\n');
    expect(await refusal(ranged, { path: '/' })).toContain('- end: must be given with "/"\n');
  });
});

describe('everybody who describes a union', () => {
  const registry = board(actions);

  it('writes its variants into a prompt', () => {
    expect(generatePrompt(registry)).toBe(
      'Available Tools:\n\n- t: Finds.\n  Parameters, one of these sets:\n' +
        '    - action (create), path (string)\n    - action (delete), id (integer), force (boolean, optional)',
    );
  });

  it('finds a tool by the words of its variants, and answers with all of them', async () => {
    const users = defineTool({
      name: 'users',
      description: 'Works on accounts.',
      schema: {
        anyOf: [
          {
            type: 'object',
            properties: { mailbox: { type: 'string', description: 'Where letters arrive' } },
            required: ['mailbox'],
          },
          { $ref: '#/$defs/P', $defs: {} },
        ],
        $defs: { P: { type: 'object', properties: { passport: { enum: ['diplomatic'] } }, required: ['passport'] } },
      },
      execute: () => '',
    });
    const other = defineTool({ name: 'clock', description: 'Tells the time.', schema: {}, execute: () => '' });
    const all = new ToolRegistry();
    all.registerMany([users, other]);
    const index = ToolIndex.from(all);
    for (const query of ['mailbox', 'passport', 'letters arrive', 'diplomatic']) {
      expect((await index.find(query)).hits[0]?.name).toBe('users');
    }
    all.registerMany(createDiscoveryTools({ registry: all, index }));
    const answer = await all.call('search_tools', { query: 'mailbox', detail: 'full' });
    expect(answer.text).toContain('users({ mailbox: string }|{ passport: "diplomatic" })');
    expect(answer.text).toContain('- mailbox: Where letters arrive');
  });

  it('is the same over MCP: of a server, and to a client', async () => {
    const upstream = await openServers({ people: fixture('union-server.ts') });
    const told = 'With by "id" it takes: by (id), id (integer). by may also be "name". Correct these and call again.';
    expect((await upstream.call('people__find', { by: 'id' })).text).toBe(
      `Invalid arguments for "people__find":\n- id: is required\n${told}`,
    );
    expect((await upstream.call('people__find', { by: 'name', name: 'Ada' })).text).toBe('{"by":"name","name":"Ada"}');
    const client = new TestClient(new McpServer({ registry: upstream.registry }));
    await client.initialize();
    const answer = await client.result('tools/call', { name: 'people__find', arguments: { by: 'id' } });
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(told) }] });
  });

  it('shows them on the command line, and reads arguments by the variant that they fit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-unions-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const source = entryFile('index');
    const schema = {
      anyOf: [
        { type: 'object', properties: { id: { type: 'integer', description: 'Its number' } }, required: ['id'] },
        { type: 'object', properties: { name: { type: 'string' }, limit: { type: 'integer' } }, required: ['name'] },
      ],
    };
    writeFileSync(
      join(folder, 'find.ts'),
      `import { defineTool } from ${JSON.stringify(source)};
       export default defineTool({ name: 'find', description: 'Finds.', schema: ${JSON.stringify(schema)}, execute: (args) => args });`,
    );
    writeFileSync(join(folder, 'pegboard.yaml'), 'tools: [{ type: script, file: ./find.ts }]\n');
    const run = (...args: string[]): Promise<string> =>
      new Promise((resolve) => {
        execFile(process.execPath, [CLI, ...args], { cwd: folder }, (_, stdout, stderr) => resolve(stdout + stderr));
      });
    expect(await run('show', 'find', '--trust')).toContain(
      'Parameters, one of 2 sets\n  id  integer  Its number\nor\n  name   string\n  limit  integer, optional\n',
    );
    expect(await run('call', 'find', '--arg', 'name=7', '--arg', 'limit=3')).toBe('{"name":"7","limit":3}\n');
    expect(await run('call', 'find', '--arg', 'id=7')).toBe('{"id":7}\n');
    expect(await run('call', 'find')).toContain(
      'It takes one of: { id (integer) } or { name (string), limit (integer, optional) }.',
    );
  });
});
