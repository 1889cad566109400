import { describe, expect, it } from 'vitest';
import { createWordPieces } from './minilm-parts.ts';

const pieces = ['[CLS]', '[SEP]', '[UNK]', 'play', '##ing', '##s', 'cafe', '東', '京', '.', 'a', '$'];
const read = createWordPieces(Object.fromEntries(pieces.map((piece, number) => [piece, number])));
const shown = (text: string, most = 256): string[] => read(text, most).map((token) => pieces[token] ?? '?');

describe('createWordPieces', () => {
  it('splits into the longest known pieces, from left to right', () => {
    expect(shown('Playing plays.')).toEqual(['[CLS]', 'play', '##ing', 'play', '##s', '.', '[SEP]']);
  });

  it('folds case and accents, drops control characters and separates ideographs and signs', () => {
    expect(shown('CAFÉ\u0000\u200B 東京$a')).toEqual(['[CLS]', 'cafe', '東', '京', '$', 'a', '[SEP]']);
  });

  it('has one token for an unknown or too long word', () => {
    expect(shown(`xyz ${'a'.repeat(101)}`)).toEqual(['[CLS]', '[UNK]', '[UNK]', '[SEP]']);
  });

  it('cuts at the limit, however long the text', () => {
    expect(shown('a '.repeat(1_000_000), 5)).toEqual(['[CLS]', 'a', 'a', 'a', '[SEP]']);
    expect(shown('playing playing', 4)).toEqual(['[CLS]', 'play', '##ing', '[SEP]']);
  });

  it('refuses a vocabulary without its special tokens', () => {
    expect(() => createWordPieces({ a: 1 })).toThrow('no token [CLS]');
  });
});
