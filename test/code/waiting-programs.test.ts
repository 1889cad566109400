// Programs that wait for people: answered one by one, taken up by other processes and engines, bound to their caller.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resumeCode, runCode } from '../../src/code.ts';
import { toBoardParts } from '../../src/discovery/board-like.ts';
import { type Board, defineTool, openBoard, type OpenBoardOptions } from '../../src/index.ts';
import { startPostgres } from '../../src/platform/postgres/test-server.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

interface Place {
  readonly done: string[];
  open(options?: Partial<OpenBoardOptions>): Promise<Board>;
}

async function makePlace(driver = 'SQLite'): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-waiting-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = driver === 'SQLite' ? undefined : await startPostgres();
  onTestFinished(() => postgres?.close());
  const done: string[] = [];
  const make = (name: string, risk: 'read' | 'write'): ReturnType<typeof defineTool> =>
    defineTool({
      name,
      description: `Does ${name}.`,
      risk,
      schema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      execute({ to }) {
        done.push(`${name} ${to}`);
        return `${name} ${to}`;
      },
    });
  return {
    done,
    async open(options = {}) {
      const board = await openBoard({
        data: join(folder, 'data'),
        ...(postgres === undefined ? {} : { store: postgres.url, env: { ...process.env, PEGBOARD_KEY: KEY } }),
        policy: { approval: { global: 'none', tools: { send: true } } },
        tools: [make('look', 'read'), make('note', 'write'), make('send', 'write')],
        ...options,
      });
      onTestFinished(() => board.close());
      return board;
    },
  };
}

const PROGRAM = `
const seen = await tools.look({ to: 'it' });
const luck = Math.random();
const sent = await Promise.all([
  ...['a', 'b', 'c'].map((to) => tools.send.try({ to })),
  tools.note.try({ to: 'meanwhile' }),
]);
console.log('sent');
return [seen, luck === Math.random() ? 'stuck' : 'moves', ...sent.map((one) => (one.ok ? one.data : one.error.message))];`;

describe('programs that wait', () => {
  describe.each(['SQLite', 'PostgreSQL'])('on %s', (driver) => {
    it('go on elsewhere, with answers that differ', driver === 'SQLite' ? {} : needs('postgresql'), async () => {
      const { done, open } = await makePlace(driver);
      const first = await open();
      const waiting = await runCode(first, PROGRAM, { pause: true });
      expect(waiting.waiting?.map(({ tool, args }) => [tool, args])).toEqual(
        ['a', 'b', 'c'].map((to) => ['send', { to }]),
      );
      expect(done).toEqual(['look it', 'note meanwhile']);
      const again = await resumeCode(first, waiting.id, { pause: true });
      expect(again.waiting).toEqual(waiting.waiting);
      await first.close();
      const second = await open();
      const [a, b, c] = (await second.approvals.list()).toSorted((one, other) =>
        JSON.stringify(one.input).localeCompare(JSON.stringify(other.input)),
      );
      await second.approvals.answer(a?.id ?? '', { allow: true });
      await second.approvals.answer(b?.id ?? '', { allow: false, reason: 'b is away' });
      const partly = await resumeCode(second, waiting.id, { pause: true });
      expect(partly.waiting).toHaveLength(1);
      await second.approvals.answer(c?.id ?? '', { allow: true, args: { to: 'd' } });
      const result = await resumeCode(second, waiting.id);
      expect(result).toMatchObject({ ok: true, logs: ['sent'] });
      expect(result.value).toEqual([
        'look it',
        'moves',
        'send a',
        expect.stringContaining('b is away'),
        expect.stringMatching(/^send d\n\nThe person who approved this call changed its arguments first/),
        'note meanwhile',
      ]);
      expect(done).toEqual(['look it', 'note meanwhile', 'send a', 'send d']);
      // Asked once more, it gives what it gave.
      expect(await resumeCode(second, waiting.id)).toEqual(result);
    });
  });

  it('are replayed by an engine of another build', async () => {
    const { done, open } = await makePlace();
    const board = await open();
    const waiting = await runCode(board, PROGRAM, { pause: true });
    const programs = toBoardParts(board, 'test').sealed?.space('programs');
    const record = JSON.parse(String(await programs?.get(waiting.id)));
    const snapshot = { ...record.info.snapshot, engine: 'another' };
    await programs?.set(waiting.id, JSON.stringify({ ...record, info: { ...record.info, snapshot } }));
    for (const { approvalId } of waiting.waiting ?? []) await board.approvals.answer(approvalId, { allow: true });
    const result = await resumeCode(board, waiting.id);
    expect(result.value).toEqual(['look it', 'moves', 'send a', 'send b', 'send c', 'note meanwhile']);
    expect(result.logs).toEqual(['sent']);
    expect(done.filter((line) => line === 'look it' || line === 'note meanwhile')).toHaveLength(2);
  });

  it('look at the policy again before they go on', async () => {
    const { done, open } = await makePlace();
    const first = await open();
    const { id, waiting } = await runCode(first, PROGRAM, { pause: true });
    for (const { approvalId } of waiting ?? []) await first.approvals.answer(approvalId, { allow: true });
    await first.close();
    const stricter = await open({ policy: { deny: ['send'] } });
    const result = await resumeCode(stricter, id);
    expect(JSON.stringify(result.value)).toContain('There is no tool \\"send\\"');
    expect(done).toEqual(['look it', 'note meanwhile']);
  });

  it('belong to their caller', async () => {
    const { open } = await makePlace();
    const board = await open();
    const { id } = await runCode(board, PROGRAM, { pause: true, caller: 'ada' });
    const result = await resumeCode(board, id, { caller: 'eve' });
    expect(result).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect((await resumeCode(board, id, { caller: 'ada', pause: true })).waiting).toHaveLength(3);
  });

  it('ask who can be asked, once about each call, where they do not pause', async () => {
    const { done, open } = await makePlace();
    const asked: unknown[] = [];
    const board = await open({
      approve: ({ input }) => {
        asked.push(input);
        return input['to'] !== 'b';
      },
    });
    const result = await runCode(board, PROGRAM);
    expect(result.value).toMatchObject([
      'look it',
      'moves',
      'send a',
      expect.stringContaining('said no'),
      'send c',
      {},
    ]);
    expect(asked).toEqual([{ to: 'a' }, { to: 'b' }, { to: 'c' }]);
    expect(done).toEqual(['look it', 'note meanwhile', 'send a', 'send c']);
  });

  it('have their calls below them in the record', async () => {
    const { open } = await makePlace();
    const board = await open({ approve: () => true });
    await runCode(board, PROGRAM);
    const [program] = await board.calls.list({ tool: 'run_code' });
    const below = await board.calls.list({ parent: program?.id });
    expect(
      below
        .filter(({ outcome }) => outcome === 'ok')
        .map(({ tool }) => tool)
        .toSorted(),
    ).toEqual(['look', 'note', 'send', 'send', 'send']);
  });
});
