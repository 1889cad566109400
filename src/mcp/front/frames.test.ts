import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { FRAME, FrameReader, writeFrame, writeMessage } from './frames.ts';

it('reads what was written, in pieces of any size', async () => {
  const stream = new PassThrough();
  writeMessage(stream, { type: 'hello', text: 'ä\n' });
  writeFrame(stream, { kind: FRAME.stdout, content: Buffer.from('out') });
  writeFrame(stream, { kind: FRAME.stderr, content: Buffer.alloc(0) });
  writeFrame(stream, { kind: FRAME.stdout, content: Buffer.from('put') });
  writeMessage(stream, { type: 'end' });
  stream.end();
  const bytes = await buffer(stream);
  for (const size of [1, 2, 7, bytes.length]) {
    const messages: unknown[] = [];
    let printed = '';
    const reader = new FrameReader({
      onMessage: (message) => messages.push(message),
      onBytes: (kind, part) => (printed += `${kind}${part.toString()}`),
    });
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    expect(messages).toEqual([{ type: 'hello', text: 'ä\n' }, { type: 'end' }]);
    expect(printed.replaceAll('2', '')).toBe('output');
  }
});

it('refuses a message that is too long before it arrives', () => {
  const reader = new FrameReader({ onMessage: () => {}, onBytes: () => {} });
  expect(() => reader.push(Buffer.from([FRAME.message, 255, 255, 255, 255]))).toThrow(
    'A message has 4294967295 bytes; 16777216 is the most.',
  );
});
