import { randomUUID } from 'node:crypto';
import type { BoardStore, JournalLine } from '../../platform/store/board-store.ts';
import { type ContractCheck, expectFailure, expectSame, expectTrue } from './contract.ts';

/** The board store to test. */
export interface BoardStoreSubject {
  /** Opens the store at a place with this name; the same name means the same place, as two processes would open it. */
  readonly open: (place: string) => BoardStore;
  /** Removes the data at a place. */
  readonly clean?: (place: string) => Promise<void>;
}

/** Two handles on one place, as two processes have them. */
type Pair = readonly [here: BoardStore, there: BoardStore];

/** Returns the checks that every board store must pass. */
export function boardStoreContract(subject: BoardStoreSubject): ContractCheck[] {
  const using = (name: string, work: (...pair: Pair) => Promise<void>): ContractCheck => ({
    name,
    async check() {
      const place = `place_${randomUUID().slice(0, 8)}`;
      const [here, there]: Pair = [subject.open(place), subject.open(place)];
      try {
        await work(here, there);
      } finally {
        await here.close();
        await there.close();
        await subject.clean?.(place);
      }
    },
  });
  return [...records(using), ...journal(using), ...shared(using)];
}

type Using = (name: string, work: (...pair: Pair) => Promise<void>) => ContractCheck;

function records(using: Using): ContractCheck[] {
  return [
    using('records are read by another process, each in its space', async (here, there) => {
      const value = { text: 'ä "quoted" $1 ?1 \\ 🦊', list: [1, null, true], nested: { deep: [{}] } };
      await here.space('tasks').set('a', value);
      await here.space('other').set('a', 'another');
      expectSame(await there.space('tasks').get('a'), value);
      expectSame(await there.space('tasks').get('b'), undefined);
      await there.space('tasks').set('a', 2);
      expectSame(await here.space('tasks').get('a'), 2);
      expectSame(await here.space('tasks').delete('a'), true);
      expectSame(await there.space('tasks').delete('a'), false);
      expectSame(await there.space('other').get('a'), 'another');
      await there.space('other').clear();
      expectSame(await here.space('other').entries(), []);
    }),
    using('entries are listed least recently changed first, by prefix and number', async (here) => {
      const space = here.space('x');
      for (const key of ['a1', 'b%', 'a2', 'a3', 'a1']) {
        await space.set(key, key);
        await new Promise((resolve) => void setTimeout(resolve, 3));
      }
      const keys = async (options?: Parameters<typeof space.entries>[0]): Promise<string[]> =>
        (await space.entries(options)).map(({ key }) => key);
      expectSame(await keys(), ['b%', 'a2', 'a3', 'a1']);
      expectSame(await keys({ prefix: 'a' }), ['a2', 'a3', 'a1']);
      expectSame(await keys({ prefix: 'a', limit: 1 }), ['a2']);
      expectSame(await keys({ prefix: '%' }), []);
    }),
    using('records of one owner are listed and counted apart from all others', async (here, there) => {
      const space = here.space('x');
      const keys = async (options?: Parameters<typeof space.keys>[0]): Promise<string[]> =>
        (await there.space('x').keys(options)).map(({ key }) => key).toSorted();
      await space.set('a1', 'äé', { owner: 'ada' });
      await space.set('a2', 'two', { owner: 'ada', ttl: 60_000 });
      await space.set('gone', 'x'.repeat(1_000), { owner: 'ada', ttl: 1 });
      await space.add('b1', 'three', { owner: "bob's" });
      await space.set('c1', 'of no one');
      await here.space('other').set('a1', 1, { owner: 'ada' });
      await until(async () => (await there.space('x').get('gone')) === undefined);
      expectSame(await there.space('x').count({ owner: 'ada' }), { records: 2, bytes: 11 });
      expectSame(await there.space('x').count(), { records: 3, bytes: 18 });
      expectSame(await there.space('x').count({ owner: 'eve' }), { records: 0, bytes: 0 });
      expectSame(await keys({ owner: 'ada' }), ['a1', 'a2']);
      expectSame(await keys({ owner: true }), ['a1', 'a2', 'b1']);
      expectSame(await keys(), ['a1', 'a2', 'b1', 'c1']);
      expectSame(
        (await there.space('x').entries({ owner: 'ada', prefix: 'a2' })).map(({ value }) => value),
        ['two'],
      );
      await space.set('a1', 'of no one now');
      expectSame(await there.space('x').count({ owner: 'ada' }), { records: 1, bytes: 5 });
    }),
    using('names that a database cannot hold are rejected', async (here) => {
      const space = here.space('x');
      for (const key of ['a\0b', 'half \uD800', 'x'.repeat(100_000)]) {
        expectSame(await space.get(key), undefined);
        expectSame(await space.delete(key), false);
        expectSame(await space.keys({ prefix: key }), []);
        await expectFailure(() => space.set(key, 1), { code: 'invalid_arguments' });
        await expectFailure(() => space.add(key, 1), { code: 'invalid_arguments' });
        await expectFailure(() => here.takeLease(key, { holder: 'me', ttl: 1_000 }), { code: 'invalid_arguments' });
        await expectFailure(() => here.signal(key), { code: 'invalid_arguments' });
        expectSame(await here.leaseHolder(key), undefined);
      }
      const odd = `'; drop table records; -- "$1" \\ % _ \u{10FFFF} é`;
      await space.set(odd, 1);
      await space.set(`${odd}2`, 2);
      const found = await space.keys({ prefix: odd });
      expectSame(found.map(({ key }) => key).toSorted(), [odd, `${odd}2`].toSorted());
      const far = 'y'.repeat(1_900);
      await space.set(far, 1);
      expectSame(
        (await space.keys({ prefix: far })).map(({ key }) => key),
        [far],
      );
    }),
    using('a record is added once, and again after it expires', async (here, there) => {
      const added = await Promise.all(
        [here, there, here, there].map((store) => store.space('x').add('one', 1, { ttl: 60_000 })),
      );
      expectSame(added.filter(Boolean).length, 1);
      await here.space('x').set('brief', 1, { ttl: 1 });
      await until(async () => (await there.space('x').get('brief')) === undefined);
      expectSame(await there.space('x').delete('brief'), false);
      await here.space('x').set('brief', 1, { ttl: 1 });
      await until(async () => there.space('x').add('brief', 2));
      expectSame(await here.space('x').get('brief'), 2);
    }),
    using('a transaction that fails undoes everything', async (here, there) => {
      await here.space('x').set('a', 1);
      const failure = here.transaction(async (inside) => {
        await inside.space('x').set('a', 2);
        await inside.journal.append([line({ call: 'undone' })]);
        throw new Error('no');
      });
      expectSame(await failure.catch((error: unknown) => (error instanceof Error ? error.message : error)), 'no');
      expectSame(await there.space('x').get('a'), 1);
      expectSame(await there.journal.read({}), []);
    }),
    using('transactions of two processes lose no count', async (here, there) => {
      const add = (store: BoardStore): Promise<void> =>
        store.transaction(async (inside) => {
          const count = Number((await inside.space('x').get('count')) ?? 0);
          await inside.space('x').set('count', count + 1);
        });
      for (let round = 0; round < 5; round++) await Promise.all([here, there, here, there].map(add));
      expectSame(await here.space('x').get('count'), 20);
    }),
    using('bytes come back as they were, in pieces', async (here, there) => {
      const bytes = Uint8Array.from({ length: 100_000 }, (_, place) => place % 256);
      await here.bytes.write({ id: 'out', piece: 0, bytes });
      await here.bytes.write({ id: 'out', piece: 1, bytes: new Uint8Array([1, 0, 255]), ttl: 60_000 });
      expectSame([...((await there.bytes.read('out', 0)) ?? [])], [...bytes]);
      expectSame([...((await there.bytes.read('out', 1)) ?? [])], [1, 0, 255]);
      expectSame(await there.bytes.read('out', 2), undefined);
      await there.bytes.delete('out');
      expectSame(await here.bytes.read('out', 0), undefined);
    }),
  ];
}

function journal(using: Using): ContractCheck[] {
  return [
    using('lines come back as they were added, the newest first', async (here, there) => {
      const whole = line({
        call: 'c1',
        parent: 'p',
        tool: 'echo',
        caller: 'me',
        outcome: 'ok',
        body: '{"text":"ä"}',
        chain: 'k',
        place: 7,
        seal: 's',
      });
      await here.journal.append([whole, line({ call: 'c2' })]);
      await there.journal.append([line({ call: 'c3' })], { durable: true });
      const lines = await there.journal.read({});
      expectSame(
        lines.map(({ call }) => call),
        ['c3', 'c2', 'c1'],
      );
      expectSame(lines.at(-1), { ...whole, number: lines.at(-1)?.number });
      expectSame((await here.journal.read({ order: 'oldest', limit: 1 }))[0]?.call, 'c1');
    }),
    using('a line that a database cannot hold unchanged does not block others', async (here, there) => {
      const long = Array.from({ length: 3_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
      await here.journal.append([
        line({ call: 'before' }),
        line({ call: 'odd\0', parent: long, tool: 'a\0b', caller: `c\0${long}`, outcome: '\0', body: '"\0"' }),
        line({ call: 'after' }),
      ]);
      const lines = await there.journal.read({ order: 'oldest' });
      expectSame(
        lines.map(({ call, tool, body }) => [call, tool, body]),
        [
          ['before', undefined, '{}'],
          ['odd\uFFFD', 'a\uFFFDb', '"\uFFFD"'],
          ['after', undefined, '{}'],
        ],
      );
      for (const query of [
        { tool: 'a\0b' },
        { caller: '\0' },
        { text: '\0' },
        { calls: [] },
        { calls: ['\0'] },
        { types: [] },
      ])
        expectSame(await there.journal.read(query), []);
      expectSame(await there.journal.read({ after: 2 ** 63 }), []);
      expectSame((await there.journal.read({ before: 2 ** 64, limit: 2 ** 40 })).length, 3);
      expectSame(await there.journal.read({ limit: -1 }), []);
      expectSame(await there.bytes.read('a\0b', 0), undefined);
      expectSame(await there.bytes.read('a', 2 ** 64), undefined);
    }),
    using('lines keep every character, in batches of any size', async (here, there) => {
      const odd = ['', '\u001F', 'a\u001Eb', '"{,}\\\\', "it's $1", 'NULL', 'null', 'ä🦊\n\t'];
      const lines = odd.map((text) => line({ call: `c${text}`, parent: text, tool: text, caller: text, body: text }));
      await here.journal.append([line({ call: 'alone', caller: '', tool: '' })]);
      await here.journal.append([...lines, ...Array.from({ length: 45 }, (_, at) => line({ at, call: 'many' }))]);
      const read = await there.journal.read({ order: 'oldest' });
      expectSame(
        read.slice(1, 1 + odd.length).map((stored) => ({ ...stored, number: 0 })),
        lines.map((given) => ({ ...given, number: 0 })),
      );
      expectSame([read[0]?.tool, read[0]?.caller, read[0]?.parent], ['', '', undefined]);
      expectSame(
        read.slice(1 + odd.length).map(({ at }) => at),
        Array.from({ length: 45 }, (_, at) => at),
      );
    }),
    using('lines are found by all their fields', async (here) => {
      const lines = Array.from({ length: 500 }, (_, at) =>
        line({
          at,
          call: `c${at}`,
          type: at % 2 === 0 ? 'started' : 'ended',
          tool: `t${at % 5}`,
          caller: `u${at % 3}`,
          body: JSON.stringify({ at, odd: "it's 100%" }),
        }),
      );
      await here.journal.append(lines);
      const found = async (query: Parameters<typeof here.journal.read>[0]): Promise<number[]> =>
        (await here.journal.read(query)).map(({ at }) => at);
      expectSame(await found({ tool: 't3', caller: 'u1', limit: 3 }), [493, 478, 463]);
      expectSame(await found({ types: ['ended'], since: 494 }), [499, 497, 495]);
      expectSame(await found({ calls: ['c1', 'c4', 'none'] }), [4, 1]);
      expectSame(await found({ until: 2, order: 'oldest' }), [0, 1]);
      expectSame(await found({ text: '"at":42,' }), [42]);
      expectSame((await found({ text: "it's 100%" })).length, 100);
      const [{ number } = { number: 0 }] = await here.journal.read({ calls: ['c100'] });
      expectSame(await found({ before: number, limit: 2 }), [99, 98]);
      expectSame(await found({ after: number, limit: 2, order: 'oldest' }), [101, 102]);
    }),
    using('lines are removed by age, by caller and by number', async (here, there) => {
      await here.journal.append(
        [1, 2, 3, 4, 5, 6].map((at) => line({ at, call: `c${at}`, caller: at === 3 ? 'gone' : 'me' })),
      );
      expectSame(await there.journal.remove({ caller: 'gone' }), 1);
      expectSame(await there.journal.remove({ before: 2 }), 1);
      const [{ number } = { number: 0 }] = await here.journal.read({ calls: ['c4'] });
      expectSame(await there.journal.remove({ upTo: number }), 2);
      expectSame(await there.journal.remove({}), 0);
      expectSame(
        (await here.journal.read({})).map(({ at }) => at),
        [6, 5],
      );
    }),
  ];
}

function shared(using: Using): ContractCheck[] {
  return [
    using('a lease has one holder, and a token that grows', async (here, there) => {
      const first = await here.takeLease('turn', { holder: 'one', ttl: 60_000 });
      expectTrue(first !== undefined, 'a free lease can be taken');
      expectSame(await there.takeLease('turn', { holder: 'two', ttl: 60_000 }), undefined);
      expectSame(await there.leaseHolder('turn'), 'one');
      expectSame(await first.renew(), true);
      await first.release();
      expectSame(await first.renew(), false);
      expectSame(await there.leaseHolder('turn'), undefined);
      const second = await there.takeLease('turn', { holder: 'two', ttl: 1 });
      expectTrue(second !== undefined && second.token > first.token, 'the next token is higher');
      await until(async () => (await here.takeLease('turn', { holder: 'three', ttl: 60_000 })) !== undefined);
      expectSame(await second.renew(), false);
      expectSame(await there.leaseHolder('turn'), 'three');
    }),
    using('only one of many takes a lease', async (here, there) => {
      const taken = await Promise.all(
        [here, there, here, there, here, there].map((store, at) =>
          store.takeLease('one', { holder: `h${at}`, ttl: 60_000 }),
        ),
      );
      expectSame(taken.filter((lease) => lease !== undefined).length, 1);
    }),
    using('a holder that lost its lease writes nothing', async (here, there) => {
      const lost = await here.takeLease('turn', { holder: 'one', ttl: 1 });
      expectTrue(lost !== undefined, 'a free lease can be taken');
      await until(async () => (await there.takeLease('turn', { holder: 'two', ttl: 60_000 })) !== undefined);
      const write = (): Promise<void> =>
        here.transaction(async (inside) => {
          await inside.fence(lost);
          await inside.space('x').set('a', 1);
        });
      await expectFailure(write, { code: 'outcome_unknown', says: ['turn'] });
      expectSame(await here.space('x').get('a'), undefined);
    }),
    using('a signal reaches every process that watches its channel', async (here, there) => {
      const received = { here: 0, there: 0, other: 0 };
      const stop = [
        here.watch('news', () => received.here++),
        there.watch('news', () => received.there++),
        there.watch('other', () => received.other++),
      ];
      await here.signal('before');
      await until(async () => {
        await here.signal('news');
        return received.there > 0;
      });
      expectTrue(received.here > 0, 'the sender receives its own signal');
      await there.transaction(async (inside) => {
        await inside.space('x').set('a', 1);
        await inside.signal('other');
      });
      await until(() => Promise.resolve(received.other > 0));
      for (const end of stop) end();
      const before = { ...received };
      await here.signal('news');
      expectSame(received, before);
    }),
    using('parallel transactions with the same signal do not block each other', async (here, there) => {
      let received = 0;
      there.watch('news', () => received++);
      const write = (store: BoardStore, key: string): Promise<void> =>
        store.transaction(async (inside) => {
          if ((await inside.space('x').get(key)) !== undefined) throw new Error(`${key} is there`);
          await inside.space('x').set(key, key);
          await inside.signal('news');
        });
      await Promise.all(Array.from({ length: 30 }, (_, at) => write(at % 2 === 0 ? here : there, `k${at}`)));
      expectSame((await there.space('x').entries()).length, 30);
      await until(() => Promise.resolve(received > 0));
    }),
    using('a signal reaches a process that watched before anything was stored', async (here, there) => {
      let received = 0;
      there.watch('news', () => received++);
      await here.signal('news');
      await until(() => Promise.resolve(received > 0));
    }),
    using('a signal of a failed transaction is not sent', async (here) => {
      let received = 0;
      here.watch('news', () => received++);
      await here
        .transaction(async (inside) => {
          await inside.signal('news');
          throw new Error('no');
        })
        .catch(() => undefined);
      expectSame(received, 0);
    }),
    using('the status counts what is there', async (here, there) => {
      await here.space('x').set('a', 1);
      await here.space('y').set('a', 1);
      await here.space('y').set('b', 1);
      await here.journal.append([line({})]);
      await here.bytes.write({ id: 'b', piece: 0, bytes: new Uint8Array(1) });
      const { spaces, lines, pieces, version, size } = await there.status();
      expectSame({ spaces, lines, pieces }, { spaces: { x: 1, y: 2 }, lines: 1, pieces: 1 });
      expectTrue(version >= 1 && size >= 0, 'the status has a version and a size');
      await there.vacuum();
      expectSame(await there.space('y').get('b'), 1);
    }),
  ];
}

function line(facts: Partial<JournalLine>): JournalLine {
  return { at: 1, type: 'started', call: 'call', body: '{}', ...facts };
}

/** Waits until a condition holds; the test runner has the deadline. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => void setTimeout(resolve, 5));
}
