import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { BoardStore, JournalLine } from '../../../platform/store/board-store.ts';
import { openBoardStore } from '../../../platform/store/open-board-store.ts';
import { removeCaller, removeOldLines } from '../remove-lines.ts';
import { AuditChain, CLOSED, OPENED, type SealedLine } from './audit-chain.ts';
import { verifyAudit } from './verify-audit.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-audit-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const KEY = Buffer.alloc(32, 7);
const key = async (): Promise<Buffer> => KEY;
let folder: string;
let store: BoardStore;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'store-'));
  store = openBoardStore({ folder });
  onTestFinished(() => store.close());
});

const line = (type: string, at: number, facts: Partial<JournalLine> = {}): JournalLine => ({
  at,
  type,
  outcome: type,
  call: `c${at}`,
  body: '{}',
  ...facts,
});

/** Writes a chain like a process: its start, some calls, its end. */
async function writeChain(from: number, { after, caller = '' }: { after?: SealedLine; caller?: string } = {}) {
  const chain = new AuditChain(KEY);
  const body = JSON.stringify(after === undefined ? {} : { after });
  const lines = chain.seal([
    line(OPENED, from, { body }),
    ...[1, 2, 3, 4].map((at) => line('ended', from + at, { caller, tool: 'echo', outcome: 'ok' })),
    line(CLOSED, from + 5),
  ]);
  chain.accept(lines);
  await store.journal.append(lines);
  return lines;
}

/** Changes the table like someone with access to the file. */
function tamper(work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(folder, 'board.db'));
  try {
    work(database);
  } finally {
    database.close();
  }
}

it('finds every removed, changed, moved or duplicated line', async () => {
  const first = await writeChain(100);
  await writeChain(200, first.at(-1) === undefined ? {} : { after: first.at(-1) as SealedLine });
  expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, lines: 12, chains: 2, open: [] });
  const heads = (await store.journal.read({ order: 'oldest', limit: 100 })) as SealedLine[];
  const columns = ['at', 'type', 'call', 'parent', 'tool', 'caller', 'outcome', 'body', 'chain', 'place', 'seal'];
  const place = fc.integer({ min: 1, max: 12 });
  const change = fc.oneof(
    fc.record({ type: fc.constant('remove' as const), number: place }),
    fc.record({ type: fc.constant('change' as const), number: place, column: fc.constantFrom(...columns) }),
    fc.record({ type: fc.constant('swap' as const), number: place, other: place }),
    fc.record({ type: fc.constant('double' as const), number: place }),
  );
  tamper((database) => database.exec('create table kept as select * from journal'));
  await fc.assert(
    fc.asyncProperty(change, async (made) => {
      tamper((database) => {
        database.exec('delete from journal; insert into journal select * from kept');
        const { number } = made;
        if (made.type === 'remove') database.prepare('delete from journal where number = ?').run(number);
        if (made.type === 'change')
          database
            .prepare(`update journal set ${made.column} = coalesce(${made.column}, '') || '1' where number = ?`)
            .run(number);
        if (made.type === 'swap') {
          fc.pre(made.other !== number);
          const move = database.prepare('update journal set number = ? where number = ?');
          for (const [to, from] of [
            [1_000, number],
            [number, made.other],
            [made.other, 1_000],
          ] as const)
            move.run(to, from);
          // Lines of different chains may be written at once, in any order.
          fc.pre(number <= 6 === made.other <= 6);
        }
        if (made.type === 'double')
          database.exec(
            `insert into journal (${columns.join(',')}) select ${columns.join(',')} from journal where number = ${number}`,
          );
      });
      const { ok, problems } = await verifyAudit(store, { key: KEY, heads: () => heads });
      expect({ ok, made }).toEqual({ ok: false, made });
      expect(problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
});

it('finds a cut tail and a removed chain by the sink and other chains', async () => {
  const first = await writeChain(100);
  const second = await writeChain(200, { after: first[3] as SealedLine });
  await store.journal.remove({ upTo: 6 });
  const gone = await verifyAudit(store, { key: KEY });
  expect(gone.problems).toEqual([
    {
      type: 'removed',
      chain: first[0]?.chain,
      place: 4,
      message: `the chain ${second[0]?.chain} names place 4, and the whole chain was removed`,
    },
  ]);
  tamper((database) => database.exec('delete from journal where number > 10'));
  const cut = await verifyAudit(store, { key: KEY, heads: () => second });
  expect(cut.problems.map(({ message }) => message)).toContain('the sink names place 6, and the chain ends at place 4');
  expect(cut.open).toEqual([second[0]?.chain]);
});

it('verifies the rest after the board itself removed old lines or those of a caller', async () => {
  const first = await writeChain(100, { caller: 'ada' });
  await writeChain(200, { after: first[5] as SealedLine });
  expect(await removeCaller(store, 'ada', key)).toBe(4);
  expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, lines: 8, retired: 4 });
  expect(await removeOldLines(store, { before: 103, maxLines: 100, key })).toBe(1);
  expect(await removeOldLines(store, { before: 203, maxLines: 100, key })).toBe(4);
  expect(await verifyAudit(store, { key: KEY, heads: () => first })).toMatchObject({ ok: true, lines: 3 });
  expect(await removeOldLines(store, { before: 0, maxLines: 1, key })).toBe(2);
  expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, lines: 1 });
  // Someone with access to the file but without the key cannot do that.
  tamper((database) =>
    database.exec(`update records set value = replace(value, '"to":5', '"to":6') where space = 'audit'`),
  );
  expect((await verifyAudit(store, { key: KEY })).problems.map(({ type }) => type)).toContain('not ours');
});

it('accepts no line that was written without the key', async () => {
  const [opened] = await writeChain(100);
  const forged = new AuditChain(Buffer.alloc(32, 8)).seal([line('ended', 300)]);
  await store.journal.append(forged);
  await store.journal.append([line('ended', 301)]);
  const { ok, problems, unsealed } = await verifyAudit(store, { key: KEY });
  expect([ok, unsealed, problems.map(({ type }) => type)]).toEqual([false, 1, ['changed']]);
  expect(opened?.place).toBe(1);
});

it('finds a number whose digits were changed although its value is the same', async () => {
  const [first] = await writeChain(100);
  const at = '0x64';
  // SQLite keeps such a text unchanged: queries by time do not find the line, and JavaScript reads 100.
  tamper((database) => database.exec(`update journal set at = '${at}' where number = 1`));
  expect((await store.journal.read({ order: 'oldest', limit: 1 }))[0]?.at).toBe(100);
  expect((await verifyAudit(store, { key: KEY })).problems).toEqual([
    {
      type: 'changed',
      chain: first?.chain,
      place: 1,
      message: 'line 1 has other digits than were written: time 0x64, place 1',
    },
  ]);
  await removeOldLines(store, { before: 1_000, maxLines: 100, key });
  expect((await verifyAudit(store, { key: KEY })).problems).toHaveLength(1);
});

it('finds a changed digit beyond 2⁵³, in a time and in the arguments of a call', async () => {
  const chain = new AuditChain(KEY);
  const body = (n: string): string => `{"input":{"n":${n}}}`;
  const lines = chain.seal([line('ended', 2 ** 53, { body: body('9007199254740993') }), line(CLOSED, 101)]);
  await store.journal.append(lines);
  expect((await verifyAudit(store, { key: KEY })).ok).toBe(false);
  tamper((database) => database.exec('update journal set at = 9007199254740991 where number = 1'));
  expect((await verifyAudit(store, { key: KEY })).problems.map(({ type }) => type)).toEqual(['changed']);
  await store.journal.remove({ upTo: 2 });
  const whole = new AuditChain(KEY).seal([line('ended', 100, { body: body('9007199254740993') }), line(CLOSED, 101)]);
  await store.journal.append(whole);
  expect((await verifyAudit(store, { key: KEY })).ok).toBe(true);
  tamper((database) => database.prepare('update journal set body = ? where number = 3').run(body('9007199254740992')));
  expect((await verifyAudit(store, { key: KEY })).problems.map(({ type }) => type)).toEqual(['changed']);
});

it('signs no removal of lines that were made to look old, or like another caller', async () => {
  await writeChain(1_000);
  const old = { before: 500, maxLines: 1_000, key };
  expect(await removeOldLines(store, old)).toBe(0);
  tamper((database) => database.exec('update journal set at = 1 where number <= 4'));
  expect(await removeOldLines(store, old)).toBe(0);
  expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: false, lines: 6, retired: 0 });
  tamper((database) => database.exec(`update journal set at = 999 + number, caller = 'eve' where number <= 4`));
  await removeCaller(store, 'eve', key);
  const { ok, problems, retired } = await verifyAudit(store, { key: KEY });
  expect([ok, problems[0]?.message, retired]).toEqual([false, 'the lines at places 1 to 4 are missing', 0]);
});

it('signs no removal because of one line with a huge number', async () => {
  await writeChain(1_000);
  tamper((database) =>
    database.exec(
      `insert into journal (number, at, type, call, body) values (9007199254740000, 2000, 'ended', 'x', '{}')`,
    ),
  );
  expect(await removeOldLines(store, { before: 0, maxLines: 10, key })).toBe(0);
  expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, lines: 6, unsealed: 1, retired: 0 });
  expect(await removeOldLines(store, { before: 0, maxLines: 5, key })).toBe(2);
  expect(await verifyAudit(store, { key: KEY })).toMatchObject({ ok: true, lines: 4, retired: 2 });
});

it('signs no removal because of one huge line', async () => {
  await writeChain(1_000);
  tamper((database) =>
    database.exec(`insert into journal (at, type, call, body) values (2000, 'ended', 'x', '${'x'.repeat(5_000_000)}')`),
  );
  expect(await removeOldLines(store, { before: 0, maxLines: 100, maxSize: 1_000_000, key })).toBe(0);
  expect(await removeOldLines(store, { before: 0, maxLines: 100, maxSize: 1, key })).toBeGreaterThan(0);
});
