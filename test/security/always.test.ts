// An approval for good is one to the tool and the arguments that the person saw, and to nothing that they become.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Board, defineTool, openBoard } from '../../src/index.ts';

interface Desk {
  readonly board: Board;
  readonly file: string;
  /** Writes the tools anew and reads them. */
  change(tools: string): Promise<void>;
  /** Makes a call; gives how it ended, or `waits`. */
  call(args: Readonly<Record<string, unknown>>): Promise<string>;
  allow(scope: 'tool' | 'arguments' | 'session', args: Readonly<Record<string, unknown>>): Promise<void>;
}

const TOOL =
  'tools: [{ name: note, type: cli, risk: write, description: Note, command: echo noted, args: [{ name: what, type: object }] }]\n';

/** Takes any value. */
const keep = defineTool({
  name: 'keep',
  description: 'Keep',
  risk: 'write',
  schema: { type: 'object', properties: { what: {} } },
  execute: () => 'kept',
});

async function openDesk(name = 'note'): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-always-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, `${TOOL}policy: { approval: { headless: wait } }\n`);
  const board = await openBoard(file, { cwd: folder, tools: [keep] });
  onTestFinished(() => board.close());
  const context = { caller: 'ada', sessionId: 'a-session-of-ada-0001' };
  return {
    board,
    file,
    async change(tools) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^tools: .*\n/m, tools));
      expect(await board.reload()).toEqual({ ok: true });
    },
    async call(args) {
      const { ok, error } = await board.call(name, args, { context, approval: { key: 'k', defer: true } });
      return ok ? 'ran' : error?.reason === 'waits for an answer' ? 'waits' : (error?.code ?? '');
    },
    async allow(scope, args) {
      const call = board.call(name, args, { context });
      const id = await vi.waitFor(async () => {
        const [first] = await board.approvals.list();
        if (first === undefined) throw new Error('Nothing waits.');
        return first.id;
      }, 120_000);
      await board.approvals.answer(id, { allow: true, scope });
      expect((await call).ok).toBe(true);
    },
  };
}

it.for(['tool', 'arguments', 'session'] as const)('for the %s ends when the tool becomes another', async (scope) => {
  const { change, call, allow, file } = await openDesk();
  await allow(scope, { what: {} });
  expect(await call({ what: {} })).toBe('ran');
  const line = {
    tool: /- \{tool: note, risk: write, definition: sha256-\S+\}/,
    arguments: /args: \{what: \{\}\}, risk: write/,
    session: /headless/,
  };
  expect(readFileSync(file, 'utf8')).toMatch(line[scope]);
  for (const other of [
    TOOL.replace('risk: write', 'risk: destructive'),
    TOOL.replace('echo noted', 'echo wiped'),
    TOOL.replace('description: Note', 'description: Another'),
  ]) {
    await change(other);
    expect(await call({ what: {} })).toBe('waits');
    await change(TOOL);
    expect(await call({ what: {} })).toBe('ran');
  }
});

it('for arguments holds for exactly these', async () => {
  const { call, allow } = await openDesk('keep');
  await allow('arguments', { what: { a: null, b: 0, c: 'é', d: [1, 2] } });
  expect(await call({ what: { d: [1, 2], c: 'é', b: 0, a: null } })).toBe('ran');
  // As a client writes them.
  const others = ['{"a":1e400,"b":0,"c":"é","d":[1,2]}', '{"a":null,"b":0,"c":"é","d":[-1e999,2]}'];
  for (const text of others) expect(await call({ what: JSON.parse(text) as unknown })).toBe('invalid_arguments');
  for (const other of [
    { a: null, b: -0, c: 'é', d: [1, 2] },
    { a: null, b: 0, c: 'é'.normalize('NFD'), d: [1, 2] },
    { a: null, b: 0, c: 'é', d: [2, 1] },
    { a: null, b: 0, c: 'é' },
    { a: undefined, b: 0, c: 'é', d: [1, 2] },
    { a: null, b: 0, c: 'é', d: [1, 2], e: null },
    { a: null, b: '0', c: 'é', d: [1, 2] },
  ])
    expect(await call({ what: other })).toBe('waits');
});

it.for([
  ['a number', { what: Infinity }, 'what'],
  ['one of many', { what: { list: [1, { deep: -Infinity }] } }, 'what.list[1].deep'],
  ['no number', { what: NaN }, 'what'],
] as const)('refuses %s that JSON cannot hold', async ([, args, place]) => {
  const { board } = await openDesk();
  const { error } = await board.call('keep', args);
  expect(error).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining(`- ${place}: must be a finite number: JSON has no others.`),
  });
  // Nor in a text that stands for a value.
  const texted = await board.call('note', { what: '{"a":[1e400]}' });
  expect(texted.error).toMatchObject({ code: 'invalid_arguments' });
});
