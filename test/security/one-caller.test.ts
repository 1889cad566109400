// One caller of a served board sends what is dear to take; meanwhile another makes small calls. What is compared is counted, or is processor
// time of the thread that serves everyone, which another program on the machine does not change.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/mcp/server/auth/token-authenticator.ts';
import { CLI, entryFile } from '../cli-program.test-helper.ts';
import { waitForText } from '../mcp/serve-process.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-one-caller-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOOLS = `
import { defineTool } from ${JSON.stringify(entryFile('index'))};
const list = (items) => ({ type: 'array', items });
export const small = defineTool({ name: 'small', description: 'Small', risk: 'read', schema: { type: 'object', properties: { n: { type: 'number' } } }, execute: ({ n }) => ({ n }) });
export const take = defineTool({ name: 'take', description: 'Takes all', risk: 'read', schema: { type: 'object', properties: {
  numbers: list({ type: 'number' }), object: { type: 'object' }, unique: { type: 'array', uniqueItems: true }, text: { type: 'string', pattern: '^(a+)+$' },
}, additionalProperties: false }, execute: (input) => 'taken: ' + Object.keys(input) });
export const shared = defineTool({ name: 'shared', description: 'Gives shared lists', risk: 'read', schema: { type: 'object', properties: {} }, execute() {
  let list = [1];
  for (let level = 0; level < 24; level++) list = [list, list];
  return list;
} });
`;

const SERVER = `
import { createInterface } from 'node:readline';
const say = (text) => process.stdout.write((typeof text === 'string' ? text : JSON.stringify(text)) + '\\n');
const answer = (id, result) => say({ jsonrpc: '2.0', id, result });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } });
  const inputSchema = { type: 'object', properties: { kind: { type: 'string' }, size: { type: 'number' } } };
  if (method === 'tools/list') return answer(id, { tools: [{ name: 'much', description: 'Much', inputSchema, annotations: { readOnlyHint: true } }] });
  if (method !== 'tools/call') return;
  const { kind, size } = params.arguments;
  if (kind === 'values') return say('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":{"a":[' + '[],'.repeat(size / 3) + '1]}}}');
  if (kind === 'breaks') return answer(id, { content: [{ type: 'text', text: '\\n'.repeat(size) }] });
  if (kind === 'objects') return answer(id, { content: [], structuredContent: { a: Array.from({ length: size }, (_, n) => ({ k: 'v' + n })) } });
  if (kind === 'notifications') for (let count = 0; count < 4; count++) say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: Array(size / 2).fill(1) } });
  answer(id, { content: [{ type: 'text', text: kind === 'text' ? 'x'.repeat(size) : '' }] });
});
`;

const ATTACKER = `
const { url, token, body, times } = JSON.parse(process.argv[1]);
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
const statuses = [];
for (let time = 0; time < times; time++) {
  const response = await fetch(url, { method: 'POST', headers, body });
  statuses.push(response.status);
  await response.arrayBuffer();
}
console.log(statuses.join(' ') + ' end');
`;

/** Sends one message over and over, until it is killed. */
const SIEGE = `
let input = '';
for await (const chunk of process.stdin) input += chunk;
const { url, token, body } = JSON.parse(input);
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
for (;;) {
  // A message that is refused while it is still being sent ends its connection.
  try { await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer(); } catch {}
  console.log('begun');
}
`;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A served board, and ways to call it as one of its callers. */
interface Served {
  readonly child: ChildProcess;
  /** Calls over plain HTTP. */
  call(who: string, tool: string, args: unknown): Promise<Answer>;
  /** Calls over MCP; the arguments may be JSON already. */
  mcp(who: string, tool: string, args: unknown): Promise<Answer>;
  /** Calls over plain HTTP as the bad caller, one call after the other, from another process; gives the statuses. */
  attack(
    tool: string,
    args: unknown,
    times: number,
  ): { readonly ended: Promise<string>; readonly isOver: () => boolean };
  /** Calls over MCP as the bad caller from another process, one call after the other without a pause, until it is stopped. */
  besiege(tool: string, args: unknown): Promise<{ readonly stop: () => void }>;
  /** Hundredths of a second that the thread which serves everyone has worked. */
  worked(): number;
  /** The most megabytes that the process has held. */
  held(): number;
}

const tokenOf = (name: string): string => `token-of-the-${name}-caller`;

async function serve(name: string, config: object): Promise<Served> {
  const file = join(folder, `${name}.yaml`);
  const tokens = ['good', 'bad'].map((user) => ({ name: user, hash: hashToken(tokenOf(user)) }));
  const section = { tokens, ...('serve' in config ? (config.serve as object) : {}) };
  writeFileSync(join(folder, 'tools.ts'), TOOLS);
  writeFileSync(join(folder, 'server.mjs'), SERVER);
  const tools = [{ type: 'script', file: './tools.ts' }];
  writeFileSync(file, JSON.stringify({ tools, data: `./data-${name}`, ...config, serve: section }));
  const child = spawn(process.execPath, [CLI, 'serve', '--http', '--port', '0', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder, API_TOKEN: 'sk-Live_9f8A7b6C5d4E' },
  });
  const said = await waitForText(child.stderr, /at http:\S+\/mcp/);
  const url = /at (http:\S+)\/mcp/.exec(said)?.[1] ?? '';
  const post = async (who: string, path: string, body: string): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${tokenOf(who)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    for (;;) {
      try {
        const response = await fetch(url + path, { method: 'POST', headers, body });
        return { status: response.status, text: await response.text() };
      } catch (error) {
        // A message that is refused while it is still being sent: its sender may see the closed connection before the answer.
        const cause =
          error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code;
        if (cause !== 'EPIPE' && cause !== 'ECONNRESET') throw error;
      }
    }
  };
  const toJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const mcpCall = (tool: string, args: unknown): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${toJson(args)}}}`;
  const proc = (path: string): string => readFileSync(`/proc/${child.pid}/${path}`, 'utf8');
  return {
    child,
    call: (who, tool, args) => post(who, `/tools/${tool}`, toJson(args)),
    mcp: (who, tool, args) => post(who, '/mcp', mcpCall(tool, args)),
    attack: (tool, args, times) => {
      const given = JSON.stringify({ url: `${url}/tools/${tool}`, token: tokenOf('bad'), body: toJson(args), times });
      const client = spawn(process.execPath, ['--input-type=module', '-e', ATTACKER, given], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let isOver = false;
      const ended = waitForText(client.stdout, /end/).then((text) => {
        isOver = true;
        return text.replace(' end', '').trim();
      });
      return { ended, isOver: () => isOver };
    },
    besiege: async (tool, args) => {
      const body = mcpCall(tool, args);
      const client = spawn(process.execPath, ['--input-type=module', '-e', SIEGE], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      client.stdin.end(JSON.stringify({ url: `${url}/mcp`, token: tokenOf('bad'), body }));
      await waitForText(client.stdout, /begun/);
      return { stop: () => void client.kill('SIGKILL') };
    },
    worked: () => {
      // The first thread of a process has its number; the name before the fields may hold blanks.
      const fields = proc(`task/${child.pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
      return Number(fields[11]) + Number(fields[12]);
    },
    held: () => Number(/VmHWM:\s+(\d+)/.exec(proc('status'))?.[1]) / 1024,
  };
}

const SMALL_CALLS = 400;

/** The work of small calls, once the process is warm. */
async function workOfSmallCalls(board: Served): Promise<number> {
  let before = 0;
  for (let round = 0; round < 2; round++) {
    before = board.worked();
    for (let n = 0; n < SMALL_CALLS; n++) expect((await board.call('good', 'small', { n })).status).toBe(200);
  }
  return Math.max(board.worked() - before, 10);
}

/** The median time of small calls of the good caller, in milliseconds. */
async function medianCall(board: Served, calls = 21): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const start = performance.now();
    expect((await board.call('good', 'small', { n })).status).toBe(200);
    times.push(performance.now() - start);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(calls / 2)] ?? Infinity;
}

/**
 * Measures how many times slower small calls are during an attack than before and after it. Of three measurements the lowest counts:
 * another program may take the processor during one of them, and a thread that is blocked is blocked in all.
 */
async function slowdown(board: Served, tool: string, args: unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3 && least > 10; round++) {
    const before = await medianCall(board);
    const { stop } = await board.besiege(tool, args);
    let during: number;
    try {
      during = await medianCall(board);
    } finally {
      stop();
    }
    least = Math.min(least, during / ((before + (await medianCall(board))) / 2));
  }
  return least;
}

const objectOf = (keys: number): object => Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, 1]));
const repeated = (count: number, item: unknown): unknown[] => Array.from({ length: count }, () => item);
const distinct = Array.from({ length: 4_900 }, (_, n) => ({ [`a${n}`]: 1 }));
const TOO_MANY = /10,000 (?:values )?\(keys and items\)/;

describe.skipIf(process.platform !== 'linux')('a caller that sends very much', () => {
  let board: Served;
  let usual = 0;
  beforeAll(async () => {
    // With a secret, all results are searched.
    const far = { command: process.execPath, args: [join(folder, 'server.mjs')], env: { API_TOKEN: '${API_TOKEN}' } };
    board = await serve('board', { mcpServers: { far } });
    usual = await workOfSmallCalls(board);
    await board.call('good', 'far__much', { kind: 'text', size: 10 });
  });
  afterAll(() => board.child.kill('SIGKILL'));

  const lists = (count: number): string => `[${'[],'.repeat(count)}1]`;
  it.each<[string, (board: Served) => Promise<Answer>, RegExp]>([
    ['3.9 million numbers', (to) => to.call('bad', 'take', { numbers: repeated(3_900_000, 1) }), TOO_MANY],
    ['3.9 million numbers over MCP', (to) => to.mcp('bad', 'take', { numbers: repeated(3_900_000, 1) }), TOO_MANY],
    ['11,000 numbers', (to) => to.call('bad', 'take', { numbers: repeated(11_000, 1) }), TOO_MANY],
    ['400,000 unknown keys', (to) => to.call('bad', 'take', objectOf(400_000)), TOO_MANY],
    ['400,000 keys over MCP', (to) => to.mcp('bad', 'take', { object: objectOf(400_000) }), TOO_MANY],
    ['2.6 million empty lists', (to) => to.mcp('bad', 'take', lists(2_600_000)), TOO_MANY],
    ['lists as a text', (to) => to.mcp('bad', 'take', { numbers: lists(1_300_000) }), /must be array, got string/],
    ['arguments as a text', (to) => to.mcp('bad', 'take', JSON.stringify(lists(2_500_000))), TOO_MANY],
    ['a long text for a pattern', (to) => to.mcp('bad', 'take', { text: 'a'.repeat(4_000_000) }), /100,000 characters/],
    ['4 MB of text', (to) => to.mcp('bad', 'take', { object: { text: 'x y\n'.repeat(1_000_000) } }), /taken/],
    ['a very long name', (to) => to.mcp('bad', 'x'.repeat(4_000_000), {}), /^.{0,400}$/],
    ['a call whose result shares lists', (to) => to.call('bad', 'shared', {}), /output_too_large.*1,000,000 values/],
    ['a call for 60 MB', (to) => to.call('bad', 'far__much', { kind: 'text', size: 60e6 }), /max_frame/],
    ['a call for 20 million values', (to) => to.call('bad', 'far__much', { kind: 'values', size: 60e6 }), /max_frame/],
    ['a call for 5 million', (to) => to.call('bad', 'far__much', { kind: 'values', size: 15e6 }), /250,000 values/],
    ['one for notifications', (to) => to.call('bad', 'far__much', { kind: 'notifications', size: 15e6 }), /floods/],
  ])('is answered for %s, at the cost of a few small calls', async (_, attack, expected) => {
    const before = board.worked();
    const { text } = await attack(board);
    const spent = board.worked() - before;
    expect(text).toMatch(expected);
    expect(spent).toBeLessThan(2 * usual);
    expect(board.held()).toBeLessThan(640);
  });

  it.each<[string, string, unknown]>([
    ['3.9 million numbers', 'take', { numbers: repeated(3_900_000, 1) }],
    ['400,000 unknown keys', 'take', objectOf(400_000)],
    ['2.6 million empty lists', 'take', lists(2_600_000)],
    ['lists as a text', 'take', { numbers: lists(1_300_000) }],
    ['arguments as a text', 'take', JSON.stringify(lists(2_500_000))],
    ['4 MB of text', 'take', { object: { text: 'x y\n'.repeat(1_000_000) } }],
    ['a very long name', 'x'.repeat(4_000_000), {}],
    ['9,800 keys in objects of their own', 'take', { unique: distinct }],
    ['9,900 numbers as texts', 'take', { numbers: repeated(9_900, '1') }],
    ['a result that shares lists', 'shared', {}],
    ['an answer of 60 MB', 'far__much', { kind: 'text', size: 60e6 }],
    ['an answer of 15 MB of text', 'far__much', { kind: 'text', size: 15e6 }],
    ['an answer of 5 million values', 'far__much', { kind: 'values', size: 15e6 }],
    ['an answer of 120,000 small objects', 'far__much', { kind: 'objects', size: 60_000 }],
    ['notifications of 15 MB', 'far__much', { kind: 'notifications', size: 15e6 }],
  ])('makes small calls of others at most ten times slower with %s', async (_, tool, args) => {
    expect(await slowdown(board, tool, args)).toBeLessThanOrEqual(10);
    expect(board.held()).toBeLessThan(1_024);
  });

  // The attacks come from a process of their own, whose work is not the board's.
  it.each<[string, object]>([
    ['15 MB of text', { kind: 'text', size: 15e6 }],
    ['4 million line breaks', { kind: 'breaks', size: 4e6 }],
    ['120,000 small objects', { kind: 'objects', size: 60_000 }],
  ])('lets others be served between the parts of %s', async (_, args) => {
    await board.attack('far__much', args, 1).ended;
    const { ended, isOver } = board.attack('far__much', args, 4);
    let small = 0;
    for (; !isOver(); small++) expect((await board.call('good', 'small', { n: small })).status).toBe(200);
    expect(await ended).toBe('200 200 200 200');
    // Read, searched and kept in one piece, each answer let through a handful of calls: those that came before and after it.
    expect(small).toBeGreaterThan(4 * 10);
    expect(board.held()).toBeLessThan(768);
  });

  it.each<[string, unknown]>([
    ['9,800 keys in objects of their own', { unique: distinct }],
    ['9,900 numbers as texts', { numbers: repeated(9_900, '1') }],
  ])('lets others be served while its calls with %s run', async (_, args) => {
    const json = JSON.stringify(args);
    const before = board.worked();
    let attacks = 0;
    const done = Promise.all(
      repeated(8, undefined).map(async () => {
        for (let round = 0; round < 2; round++, attacks++)
          expect((await board.mcp('bad', 'take', json)).text).toContain('taken');
      }),
    );
    let small = 0;
    // oxlint-disable-next-line no-unmodified-loop-condition -- the attacks above count
    for (; attacks < 16; small++) expect((await board.call('good', 'small', { n: small })).status).toBe(200);
    await done;
    expect(small).toBeGreaterThan(16);
    // Ten times slower: small calls have a tenth of the work at least.
    expect((small * usual) / SMALL_CALLS).toBeGreaterThan((board.worked() - before) / 10);
    expect(board.held()).toBeLessThan(640);
  });
});

describe.skipIf(process.platform !== 'linux')('a caller that sends long programs', () => {
  it('leaves the board to others', async () => {
    const board = await serve('programs', { serve: { mode: 'code' } });
    try {
      const usual = await workOfSmallCalls(board);
      const run = (code: string): Promise<Answer> => board.mcp('bad', 'run_code', { code });
      expect((await run('const one: number = 1; return one')).text).toContain('1');
      const programs = [
        'tools.a '.repeat(24_000),
        'tools.a;'.repeat(24_000),
        Array.from({ length: 15_000 }, (_, n) => `tools.b${n};`).join(''),
        `tools.take({ ${Array.from({ length: 15_000 }, (_, n) => `x${n}: 1`).join()} })`,
        `let list = [1]; for (let level = 0; level < 24; level++) list = [list, list]; await tools.take({ object: { list } })`,
        `await tools.take({ numbers: Array(3000000).fill(1) })`,
      ];
      for (const program of programs) {
        const before = board.worked();
        expect((await run(program)).text).toMatch(/"isError":true/);
        expect(board.worked() - before).toBeLessThan(2 * usual);
      }
      expect(board.held()).toBeLessThan(1_024);
    } finally {
      board.child.kill('SIGKILL');
    }
  });
});
