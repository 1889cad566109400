import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from './split-words.ts';

describe('splitWords', () => {
  it.each([
    ['git_status', ['git', 'status']],
    ['getHTTPResponse', ['get', 'http', 'response', 'gethttpresponse']],
    ['GitHub', ['git', 'hub', 'github']],
    ['upload to S3', ['upload', 'to', 's', '3', 's3']],
    ['base64-encode', ['base', '64', 'base64', 'encode']],
    ["What's the user’s name?", ['what', 's', 'the', 'user', 's', 'name']],
    ['Café À La Crème', ['cafe', 'a', 'la', 'creme']],
    ['Прогноз погоды', ['прогноз', 'погоды']],
    ['搜索结果', ['搜索', '索结', '结果']],
    ['查', ['查']],
    ['用git查看', ['git', '查看', '用']],
    ['\u0000\u0007 \n', []],
    ['', []],
  ])('splits %j', (text, words) => {
    expect(splitWords(text).toSorted()).toEqual([...words].toSorted());
  });

  it('keeps Korean words whole, or splits them into pairs on request', () => {
    expect(splitWords('서울날씨 git')).toEqual(['서울날씨', 'git']);
    expect(splitWords('서울날씨 git', { koreanPairs: true })).toEqual(['서울', '울날', '날씨', 'git']);
  });

  it('returns lower-case words without gaps for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        for (const word of splitWords(text)) {
          expect(word).not.toBe('');
          expect(word).not.toMatch(/\s/);
        }
      }),
    );
  });
});
