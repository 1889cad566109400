import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { BoardStore } from '../store/board-store.ts';
import { openBoardStore } from '../store/open-board-store.ts';
import { createOutputShelf } from './output-shelf.ts';
import { createOutputStore, type OutputStore } from './output-store.ts';

const root = mkdtempSync(join(tmpdir(), 'pegboard-shelf-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const open: { outputs: OutputStore; store: BoardStore }[] = [];
afterEach(async () => {
  for (const { outputs, store } of open.splice(0)) {
    outputs.close();
    await store.close();
  }
});

/** Starts a process of a board with its own files. `isFar`: on another machine, judging by the store's address. */
function start(folder: string, isFar: boolean, options = {}) {
  const store = openBoardStore({ folder });
  const outputs = createOutputStore({ folder: mkdtempSync(join(root, 'files-')) });
  const far = {
    address: 'elsewhere',
    bytes: store.bytes,
    space: (name: string) => store.space(name),
    transaction: store.transaction.bind(store),
  };
  outputs.share(createOutputShelf(() => (isFar ? far : store), options));
  open.push({ outputs, store });
  return { outputs, store };
}

const LINES = Array.from({ length: 200_000 }, (_, n) => `line ${n}`).join('\n');

describe.each([
  ['on the same machine', false],
  ['on another machine', true],
])('an output of a process %s', (_, isFar) => {
  it('is read, searched and opened by its owner, and by no other', async () => {
    const folder = mkdtempSync(join(root, 'board-'));
    const [one, other] = [start(folder, isFar), start(folder, isFar)];
    const stored = one.outputs.of('ada').keep(LINES);
    const id = stored?.id ?? '';
    await stored?.kept;
    const page = await other.outputs.of('ada').read(id, { offset: 150_000, lines: 2 });
    expect(page).toMatchObject({ lines: ['line 150000', 'line 150001'], total: 200_000 });
    expect((await other.outputs.of('ada').search(id, { text: 'line 199999' })).matches).toHaveLength(1);
    expect(await text(other.outputs.of('ada').open(id)?.stream() ?? Readable.from([]))).toBe(LINES);
    await expect(other.outputs.of('bob').read(id)).rejects.toMatchObject({ code: 'not_found' });
    // It stays available after the process that created it has ended.
    one.outputs.close();
    expect(other.outputs.of('ada').open(id)?.size).toBe(LINES.length);
    expect(readFileSync(join(folder, 'board.db-wal')).includes('line 777')).toBe(false);
  });

  it('is stored in parts, and unreadable without its id', async () => {
    const folder = mkdtempSync(join(root, 'board-'));
    const [one, other] = [start(folder, isFar), start(folder, isFar)];
    const writer = one.outputs.create();
    for (let part = 0; part < 40; part++) if (!writer.write(Buffer.alloc(50_000, `${part}\n`))) await writer.drained();
    const id = (await writer.end())?.id ?? '';
    expect(await other.outputs.bring(id)).toBe(true);
    expect(other.outputs.open(id)?.size).toBe(2_000_000);
    expect(await other.outputs.bring('a'.repeat(24))).toBe(false);
  });
});

describe('an output of a process that has ended', () => {
  const range = { offset: 1_000, lines: 1 };

  it('is available to the next process if the shelf outlives processes, unless it is very long', async () => {
    const folder = mkdtempSync(join(root, 'board-'));
    const one = start(folder, false, { outlivesProcess: true });
    const id = one.outputs.of('ada').keep(LINES)?.id ?? '';
    const long = one.outputs.of('ada').keep(LINES.repeat(3))?.id ?? '';
    await one.outputs.settled();
    one.outputs.close();
    const { outputs } = start(folder, false, { outlivesProcess: true });
    expect(await outputs.of('ada').read(id, range)).toMatchObject({ lines: ['line 1000'], total: 200_000 });
    await expect(outputs.of('bob').read(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(outputs.of('ada').read(long)).rejects.toMatchObject({ code: 'not_found' });
    expect(readFileSync(join(folder, 'board.db-wal')).includes('line 777')).toBe(false);
  });

  it('is gone otherwise', async () => {
    const folder = mkdtempSync(join(root, 'board-'));
    const one = start(folder, false);
    const id = one.outputs.keep(LINES)?.id ?? '';
    await one.outputs.settled();
    one.outputs.close();
    await expect(start(folder, false).outputs.read(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
