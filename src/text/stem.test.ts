import { describe, expect, it } from 'vitest';
import { segmentWord } from './segment-word.ts';
import { stem } from './stem.ts';

describe('stem', () => {
  it.each([
    ['converts', 'converting', 'converted'],
    ['currency', 'currencies'],
    ['translation', 'translations'],
    ['calculate', 'calculation', 'calculating', 'calculator'],
    ['hop', 'hopped', 'hopping'],
    ['agreed', 'agree'],
    ['branches', 'branch', 'branching'],
    ['status'],
  ])('gives %s and its forms one stem', (...words) => {
    expect(new Set(words.map(stem)).size).toBe(1);
  });

  it('keeps short words, digits and other scripts', () => {
    expect(['is', '42', 'погоды', '搜索', 's3'].map(stem)).toEqual(['is', '42', 'погоды', '搜索', 's3']);
  });
});

describe('segmentWord', () => {
  it('splits glued words into the tool’s own words and common verbs', () => {
    const own = new Set(['countries', 'continent', 'population']);
    expect(segmentWord('getcountriesbycontinent', own)).toEqual(['get', 'countries', 'by', 'continent']);
  });

  it('leaves a word alone that cannot be split, is short or is known', () => {
    const own = new Set(['population', 'pop']);
    expect(['population', 'popular', 'getpop', 'xylophone'].map((word) => segmentWord(word, own))).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});
