import { expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

function read(chunks: readonly string[], maxBytes = 100): unknown[] {
  const seen: unknown[] = [];
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => seen.push(line),
    onOversize: (size, id) => seen.push({ size, id }),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return seen;
}

it('gives lines however the bytes are cut', () => {
  const text = '{"a":"ä"}\n\r\n{"b":2}\r\n{"c":3}\n';
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  const seen: string[] = [];
  const reader = new LineReader({ maxBytes: 99, onLine: (line) => seen.push(line), onOversize: () => {} });
  for (const byte of bytes) reader.push(byte);
  expect(seen).toEqual(['{"a":"ä"}', '{"b":2}\r', '{"c":3}']);
  expect(read([text])).toEqual(seen);
});

it.for([
  ['{"jsonrpc":"2.0","id":4,"params":"', '"}'],
  ['{"params":"', '","jsonrpc":"2.0","id":4}'],
])('passes over a line that is too long, finds its id and goes on', ([head = '', tail = '']) => {
  const long = `${head}${'x'.repeat(5000)}${tail}`;
  const pieces = [...long.matchAll(/.{1,700}/g)].map(String);
  expect(read([...pieces, '\n{"id":5}\n'])).toEqual([{ size: long.length, id: 4 }, '{"id":5}']);
  expect(read([`${long}\nnext\n`])).toEqual([{ size: long.length, id: 4 }, 'next']);
});

it('takes no id from inside a message', () => {
  expect(read([`{"params":{"id":9,"x":"${'x'.repeat(3000)}","id":9}}\n`])).toEqual([
    { size: expect.any(Number), id: undefined },
  ]);
});

it('keeps a part of a line although the memory that it came in is filled anew', () => {
  const seen: string[] = [];
  const reader = new LineReader({ maxBytes: 99, onLine: (line) => seen.push(line), onOversize: () => {} });
  const memory = Buffer.alloc(4);
  for (const part of ['{"a"', ':"ab', 'cd"}', '\nxy\n']) reader.push(memory.subarray(0, memory.write(part)));
  expect(seen).toEqual(['{"a":"abcd"}', 'xy']);
});
