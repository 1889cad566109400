import { describe, expect, it } from 'vitest';
import { decodeOutput } from './decode-output.ts';

describe('decodeOutput', () => {
  it('reads valid UTF-8 as text', () => {
    expect(decodeOutput(Buffer.from('é 日本 👩\u001B[0m\n'))).toEqual({ type: 'text', text: 'é 日本 👩\u001B[0m\n' });
    expect(decodeOutput(new Uint8Array())).toEqual({ type: 'text', text: '' });
  });

  it('gives anything else as base64', () => {
    expect(decodeOutput(Uint8Array.of(0xff, 0xfe, 65))).toEqual({ type: 'binary', base64: '//5B' });
    expect(decodeOutput(Buffer.from('a\0b'))).toEqual({ type: 'binary', base64: 'YQBi' });
  });
});
