import { describe, expect, it } from 'vitest';
import { alignColumns, toCell, wrapText } from './columns.ts';

describe('alignColumns', () => {
  it('aligns cells of any colour and script', () => {
    expect(
      alignColumns([
        ['\u001B[31mab\u001B[39m', 'x'],
        ['日本', 'y'],
      ]),
    ).toEqual(['\u001B[31mab\u001B[39m    x', '日本  y']);
  });

  it('cuts the last cell to the width', () => {
    expect(alignColumns([['name', 'a description that is too long for the line']], 40)).toEqual([
      'name  a description that is too long fo…',
    ]);
  });
});

describe('wrapText', () => {
  it('breaks lines between words, and keeps a word that is longer than a line', () => {
    expect(wrapText('one two three\n  four five', 9)).toEqual(['one two', 'three', '  four', '  five']);
    expect(wrapText('https://a.example/long x', 10)).toEqual(['https://a.example/long', 'x']);
    expect(wrapText('日本 日本', 6)).toEqual(['日本', '日本']);
    expect(wrapText('', 5)).toEqual(['']);
  });

  it('wraps the last cell of a row under itself', () => {
    expect(alignColumns([['name', 'a description that is too long for the line']], 30, 'wrap')).toEqual([
      'name  a description that is',
      '      too long for the line',
    ]);
  });
});

describe('toCell', () => {
  it('keeps the first line, without terminal sequences', () => {
    expect(toCell('\n  One\u001B[2J\ttwo\u0007\nthree')).toBe(String.raw`One\u001b[2J two\u0007`);
    expect(toCell('Harmless \u202Eelif eht\u202C')).toBe(String.raw`Harmless \u202eelif eht\u202c`);
  });
});
