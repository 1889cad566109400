import { describe, expect, it } from 'vitest';
import { FrameReader, LARGE_FRAME, readFrame } from './frame-reader.ts';

const message = (id: number, result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });

describe('FrameReader', () => {
  it('reads small messages at once, large ones in a thread, all in their order', async () => {
    const ids: unknown[] = [];
    const reader = new FrameReader((read) => ids.push(read?.['id']));
    reader.push(message(1, {}));
    expect(ids).toEqual([1]);
    reader.push(message(2, 'é'.repeat(LARGE_FRAME)));
    reader.push([Buffer.from(message(3, 'x'.repeat(LARGE_FRAME)).slice(0, 100)), Buffer.from('no JSON')]);
    reader.push(message(4, {}));
    expect(ids).toEqual([1]);
    await reader.reading;
    expect(ids).toEqual([1, 2, undefined, 4]);
    expect(reader.reading).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['a long text', { text: 'é"\\\n'.repeat(LARGE_FRAME) }],
    ['many values', { list: Array.from({ length: 100_000 }, (_, n) => n), __proto: { deep: [{}] } }],
  ])('gives what JSON.parse gives: %s', async (_, result) => {
    const text = message(7, result);
    expect(await readFrame(text)).toEqual(JSON.parse(text));
    const bytes = Buffer.from(text);
    const read: unknown[] = [];
    const reader = new FrameReader((given) => read.push(given));
    // Characters may be cut in two where chunks end.
    reader.push(
      Array.from({ length: Math.ceil(bytes.length / 1001) }, (__, n) => bytes.subarray(n * 1001, (n + 1) * 1001)),
    );
    await reader.reading;
    expect(read).toEqual([JSON.parse(text)]);
  });

  it('refuses too many values, and answers the request', async () => {
    const text = `{"jsonrpc":"2.0","id":9,"result":[${'1,'.repeat(300_000)}1]}`;
    expect(await readFrame(text)).toMatchObject({ id: 9, error: { code: -32603 } });
  });
});
