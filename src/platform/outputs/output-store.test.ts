import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutputStore, type OutputStoreOptions } from './output-store.ts';
import type { StoredOutput } from './output-writer.ts';
import { eventually, temporaryFolder } from '../process/spawners.test-helper.ts';

const folder = temporaryFolder();
let stores = 0;

function openStore(options: Partial<OutputStoreOptions> = {}) {
  const parent = join(folder, `store-${stores++}`);
  const store = createOutputStore({ folder: parent, ...options });
  onTestFinished(() => store.close());
  const keep = async (...chunks: (string | Uint8Array)[]): Promise<StoredOutput> => {
    const writer = store.create();
    for (const chunk of chunks) if (!writer.write(Buffer.from(chunk))) await writer.drained();
    const stored = await writer.end();
    if (stored === undefined) throw new Error('Nothing was stored.');
    return stored;
  };
  const files = (): string[] =>
    readdirSync(parent, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );
  return { store, keep, files, parent };
}

const numbers = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

describe('createOutputStore', () => {
  it('pages through lines', async () => {
    const { store, keep } = openStore();
    const { id } = await keep(numbers(1000));
    expect(await store.read(id, { offset: 2, lines: 2 })).toEqual({
      offset: 2,
      lines: ['line 2', 'line 3'],
      next: 4,
      total: 1000,
    });
    expect(await store.read(id, { offset: -1 })).toEqual({
      offset: 999,
      lines: ['line 999'],
      next: undefined,
      total: 1000,
    });
    expect(await store.read(id, { offset: 5000 })).toEqual({ offset: 1000, lines: [], next: undefined, total: 1000 });
    expect((await store.read(id)).lines).toHaveLength(200);
  });

  it('shows the outputs of one caller to no other', async () => {
    const { store, keep } = openStore();
    const [mine, theirs] = [store.of('me'), store.of('them')];
    const writer = mine.create();
    writer.write(Buffer.from('secret'));
    const { id = '' } = (await writer.end()) ?? {};
    expect((await mine.read(id)).lines).toEqual(['secret']);
    expect(theirs.open(id)).toBeUndefined();
    for (const attempt of [theirs.read(id), theirs.search(id, { text: 'secret' })]) {
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(mine.open((await keep('of no caller')).id)).toBeUndefined();
    // The board itself sees everything.
    expect(store.open(id)).toMatchObject({ id });
  });

  it('finds any line of a large output', async () => {
    const { store, keep } = openStore();
    const stored = await keep(...Array.from({ length: 40 }, () => numbers(10_000)));
    expect(stored.lines).toBe(400_000);
    for (const offset of [0, 99_999, 123_456, 399_999]) {
      expect((await store.read(stored.id, { offset, lines: 1 })).lines).toEqual([`line ${offset % 10_000}`]);
    }
  });

  it('makes every byte of any output reachable, endless lines included', async () => {
    const { store, keep } = openStore();
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('\n'), fc.constant('日本語'.repeat(9000)));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const { id, lines } = await keep(...pieces);
        const found: string[] = [];
        for (let next: number | undefined = 0; next !== undefined;) {
          const page = await store.read(id, { offset: next, lines: 3 });
          found.push(...page.lines);
          ({ next } = page);
        }
        expect(found).toHaveLength(lines);
        expect(found.join('')).toBe(pieces.join('').replaceAll(/\r?\n/g, ''));
      }),
      { numRuns: 60 },
    );
  });

  it('searches for text, with the lines around it', async () => {
    const { store, keep } = openStore();
    const { id } = await keep('a\nb $1.0\nc\nb $1.0 again\nd\n');
    expect(await store.search(id, { text: '$1.0', context: 1 })).toEqual({
      matches: [
        { offset: 1, line: 'b $1.0', before: ['a'], after: ['c'] },
        { offset: 3, line: 'b $1.0 again', before: ['c'], after: ['d'] },
      ],
      hasMore: false,
    });
    expect(await store.search(id, { text: 'b', limit: 1, context: 1 })).toEqual({
      matches: [{ offset: 1, line: 'b $1.0', before: ['a'], after: ['c'] }],
      hasMore: true,
    });
    expect(await store.search(id, { text: 'nowhere' })).toEqual({ matches: [], hasMore: false });
  });

  it('searches with a pattern until it is aborted', async () => {
    const { store, keep } = openStore();
    const { id } = await keep(numbers(100_000));
    const { matches } = await store.search(id, { pattern: (line) => /^line 9+$/.test(line) });
    expect(matches.map(({ offset }) => offset)).toEqual([9, 99, 999, 9999, 99_999]);
    const search = store.search(id, { text: 'x', signal: AbortSignal.abort() });
    await expect(search).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('keeps the part of an output that fits, and marks it as incomplete', async () => {
    const { store, keep } = openStore({ maxBytes: 10 });
    const stored = await keep('12345\n', '789012\n', 'more');
    expect(stored).toMatchObject({ size: 10, lines: 2, isComplete: false });
    expect((await store.read(stored.id)).lines).toEqual(['12345', '7890']);
  });

  it('deletes the oldest outputs when there are too many bytes', async () => {
    const { store, keep, files } = openStore({ maxTotalBytes: 10 });
    const [first, second] = [await keep('12345678'), await keep('12345678')];
    expect([store.open(first.id), store.open(second.id)?.size, files().length]).toEqual([undefined, 8, 1]);
  });

  it('deletes only outputs of the caller with the most bytes', async () => {
    const { store } = openStore({ maxTotalBytes: 30 });
    const small = store.of('ada').keep('1234567890');
    const large = Array.from({ length: 5 }, () => store.of('mallory').keep('1234567890'));
    expect(store.of('ada').open(small?.id ?? '')?.size).toBe(10);
    expect(large.map((one) => store.of('mallory').open(one?.id ?? '') !== undefined)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('deletes an output when it has expired', async () => {
    let now = 1000;
    const { store, keep, files } = openStore({ ttl: 120_000, clock: { now: () => now } });
    const { id, expiresAt } = await keep('x');
    expect(expiresAt).toBe(121_000);
    now = 120_999;
    expect((await store.read(id)).lines).toEqual(['x']);
    now = 121_000;
    await expect(store.read(id)).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no stored output "${id}". Outputs are kept for 2 minutes: run the tool again.`,
    });
    expect(files()).toEqual([]);
  });

  it('deletes expired outputs automatically', async () => {
    const { keep, files } = openStore({ ttl: 20 });
    await keep('x');
    expect(await eventually(() => files().length === 0)).toBe(true);
  });

  it('knows only its own handles', async () => {
    const { store, keep, files } = openStore();
    const { id } = await keep('secret');
    expect(id).toMatch(/^[\w-]{24}$/);
    const [file = ''] = files();
    for (const wrong of ['', '.', '..', '../..', '/etc/passwd', file, id.slice(1), '__proto__', `${id}\0`]) {
      expect(store.open(wrong)).toBeUndefined();
      await expect(store.search(wrong, { text: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('is unreadable for other users', async () => {
    const { keep, files } = openStore();
    await keep('secret');
    const [file = ''] = files();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  });

  it('writes nothing to a folder that others can change', async () => {
    const parent = join(folder, 'open-to-all');
    mkdirSync(parent);
    chmodSync(parent, 0o777);
    const { store } = openStore({ folder: parent });
    const writer = store.create();
    writer.write(Buffer.from('x'));
    expect(await writer.end()).toBeUndefined();
    expect(readdirSync(parent)).toEqual([]);
  });

  it('deletes everything when it closes, half-written outputs included', async () => {
    const { store, keep, parent } = openStore();
    await keep('x');
    const writer = store.create();
    writer.write(Buffer.from('half'));
    store.close();
    expect(await writer.end()).toBeUndefined();
    expect(readdirSync(parent)).toEqual([]);
  });

  it('removes only the folders of killed processes', async () => {
    const parent = join(folder, 'left');
    const url = new URL('output-store.ts', import.meta.url).href;
    const program = `
      import { createOutputStore } from '${url}';
      const writer = createOutputStore({ folder: '${parent}' }).create();
      writer.write(Buffer.from('left behind'));
      writer.end().then(() => process.kill(process.pid, 'SIGKILL'));`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })).toThrow(
      '',
    );
    const [stale = ''] = readdirSync(parent);
    const running = openStore({ folder: parent });
    expect(existsSync(join(parent, stale))).toBe(false);
    const { id } = await running.keep('mine');
    writeFileSync(join(parent, 'notes.txt'), '');
    symlinkSync('/etc', join(parent, stale));
    openStore({ folder: parent });
    expect(running.store.open(id)?.size).toBe(4);
    expect(readdirSync(parent)).toContain('notes.txt');
    expect(existsSync('/etc/passwd')).toBe(true);
  });
});
