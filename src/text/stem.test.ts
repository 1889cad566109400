import { describe, expect, it } from 'vitest';
import { segmentWord } from '../discovery/read-tool-text.ts';
import { stem } from './stem.ts';

describe('stem', () => {
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['motoring', 'motor'],
    ['conflated', 'conflat'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['sky', 'sky'],
    ['digitizer', 'digit'],
    ['sensibiliti', 'sensibl'],
    ['triplicate', 'triplic'],
    ['electrical', 'electr'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['probate', 'probat'],
    ['rate', 'rate'],
    ['controll', 'control'],
  ])('gives %s the stem Porter gives it, %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it.each([
    ['converts', 'converting', 'converted'],
    ['currency', 'currencies'],
    ['translation', 'translations'],
    ['calculate', 'calculation', 'calculating', 'calculator'],
    ['hop', 'hopped', 'hopping'],
    ['agreed', 'agree'],
    ['branches', 'branch', 'branching'],
    ['status', 'statuses'],
    ['tie', 'ties'],
  ])('gives %s and its forms one stem where it is mild', (...words) => {
    expect(new Set(words.map((word) => stem(word, { mild: true }))).size).toBe(1);
  });

  it('follows Porter by default, as stores keep such stems', () => {
    expect(['status', 'ties', 'technology'].map((word) => stem(word))).toEqual(['statu', 'ti', 'technolog']);
    expect(['status', 'ties', 'technology'].map((word) => stem(word, { mild: true }))).toEqual([
      'status',
      'tie',
      'technologi',
    ]);
  });

  it('keeps short words, digits and other scripts', () => {
    const words = ['is', '42', 'погоды', '搜索', 's3'];
    expect(words.map((word) => stem(word))).toEqual(words);
  });
});

describe('segmentWord', () => {
  it('splits joined words into the tool’s own words and common verbs', () => {
    const own = new Set(['countries', 'continent', 'population']);
    expect(segmentWord('getcountriesbycontinent', own)).toEqual(['get', 'countries', 'by', 'continent']);
  });

  it('keeps a word that cannot be split, is short or is known', () => {
    const own = new Set(['population', 'pop']);
    expect(['population', 'popular', 'getpop', 'xylophone'].map((word) => segmentWord(word, own))).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});
