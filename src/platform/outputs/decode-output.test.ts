import { describe, expect, it } from 'vitest';
import { decodeOutput, stripEscapes } from './decode-output.ts';

describe('decodeOutput', () => {
  it('reads valid UTF-8 as text', () => {
    expect(decodeOutput(Buffer.from('é 日本 👩\u001B[0m\n'))).toEqual({ type: 'text', text: 'é 日本 👩\u001B[0m\n' });
    expect(decodeOutput(new Uint8Array())).toEqual({ type: 'text', text: '' });
  });

  it('returns anything else as base64', () => {
    expect(decodeOutput(Uint8Array.of(0xff, 0xfe, 65))).toEqual({ type: 'binary', base64: '//5B' });
    expect(decodeOutput(Buffer.from('a\0b'))).toEqual({ type: 'binary', base64: 'YQBi' });
  });
});

describe('stripEscapes', () => {
  it.each([
    ['colours', '\u001B[1;31mred\u001B[0m', 'red'],
    ['colours with colons', '\u001B[38:2::255:0:0mred', 'red'],
    ['cursor moves and modes', 'a\u001B[2K\u001B[?25lb', 'ab'],
    ['titles', '\u001B]0;title\u0007text', 'text'],
    ['links', '\u001B]8;;https://example.com\u001B\\link\u001B]8;;\u001B\\', 'link'],
    ['device strings', 'a\u001BPq#0;1\u001B\\b', 'ab'],
    ['character sets and short ones', '\u001B(Ba\u001B7b\u001Bc', 'ab'],
    ['8-bit forms', '\u009B31mred\u009Dtitle\u009Ctext', 'redtext'],
    ['other controls', 'a\u0007\b\u0000\u007Fb', 'ab'],
    ['an unfinished sequence', 'a\u001B]0;never ends', 'a0;never ends'],
    ['a lone escape at the end', 'a\u001B', 'a'],
  ])('removes %s', (_, text, expected) => {
    expect(stripEscapes(text)).toBe(expected);
  });

  it('keeps newlines, returns, tabs and everything that is text', () => {
    const text = 'a\tb\r\nc [31m é 日本 👩‍👩‍👧';
    expect(stripEscapes(text)).toBe(text);
  });

  it('takes time in proportion to hostile text', () => {
    for (const piece of ['\u001B]', '\u009D', '\u001B[1', '\u001B[', '\u001BP\u009D']) {
      expect(stripEscapes(piece.repeat(300_000))).not.toContain('\u001B');
    }
  });
});
