import { describe, expect, it } from 'vitest';
import { quoteText, revealHidden, revealHiddenJson, stripDeceiving, stripHidden } from './reveal-hidden.ts';

describe('revealHidden', () => {
  it.each([
    ['terminal sequences', 'a\u001b[2J\u001b]8;;x\u0007\u009b1m', 'a\\u001b[2J\\u001b]8;;x\\u0007\\u009b1m'],
    ['controls that move the cursor', 'a\rb\u0008\u000b\u007f\u0000', 'a\\u000db\\u0008\\u000b\\u007f\\u0000'],
    ['marks of direction', 'a\u202eb\u2066\u200f\u061c', 'a\\u202eb\\u2066\\u200f\\u061c'],
    ['the tags block', 'a\u{e0049}\u{e007f}\u{e0001}', 'a\\u{e0049}\\u{e007f}\\u{e0001}'],
    ['fillers', '\u3164\uffa0\u115f\u1160\u2800\u17b4', '\\u3164\\uffa0\\u115f\\u1160\\u2800\\u17b4'],
    [
      'characters without width',
      'a\u200b\u2060\ufeff\u00ad\u180e\u034f',
      'a\\u200b\\u2060\\ufeff\\u00ad\\u180e\\u034f',
    ],
    ['invisible operators', '\u2061\u2062\u2063\u2064', '\\u2061\\u2062\\u2063\\u2064'],
    ['selectors that carry data', 'a\ufe0f\ufe00\u{e0101}', 'a\\ufe0f\\ufe00\\u{e0101}'],
    ['separators of lines', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['halves of pairs', 'a\ud800b\udc00', 'a\\ud800b\\udc00'],
    ['private and unassigned characters', '\ue000\u{10fffd}\u0378', '\\ue000\\u{10fffd}\\u0378'],
    ['joiners between letters that take none', 'ad\u200dmin\u200c', 'ad\\u200dmin\\u200c'],
    ['two joiners in a row', 'می\u200c\u200cخواهم', 'می\\u200c\\u200cخواهم'],
    ['two selectors in a row', '👍\ufe0f\ufe0f', '👍\\ufe0f\\ufe0f'],
    ['tags after a flag that has none', '\u{1f3f4}\u{e0041}\u{e007f}', '\u{1f3f4}\\u{e0041}\\u{e007f}'],
  ])('spells out %s', (_what, text, shown) => {
    expect(revealHidden(text)).toBe(shown);
  });

  it.each([
    ['plain text with lines, also of Windows', 'one\ntwo\r\n\tthree'],
    ['accents and wide characters', 'é e\u0301 ñ 日本語 한국어 ü “quotes” – … € x²'],
    ['emoji of several parts', '👩‍👩‍👧‍👦 ❤️‍🔥 🏋🏽‍♀️ 1️⃣ ©️ 🇫🇷 👁️‍🗨️ ☝🏽'],
    ['flags made of tags', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['Persian with its joiner', 'می‌خواهم'],
    ['Arabic and Hebrew', 'مرحبا بالعالم ١٢ שלום עולם'],
    ['Indic scripts with their joiners', 'क्‍ष ශ්‍රී'],
  ])('leaves %s as it is', (_what, text) => {
    expect(revealHidden(text)).toBe(text);
  });

  it('takes linear time', () => {
    expect(revealHidden('\u200d'.repeat(200_000))).toHaveLength(1_200_000);
  });
});

describe('revealHiddenJson', () => {
  it('keeps the data and shows everything hidden', () => {
    const data = { 'a\u200b': 'x\u{e0041}\u009b\u2028\ud800', emoji: '👩‍👧' };
    const json = revealHiddenJson(JSON.stringify(data));
    expect(json).toBe(String.raw`{"a\u200b":"x\udb40\udc41\u009b\u2028\ud800","emoji":"👩‍👧"}`);
    expect(JSON.parse(json)).toEqual(data);
  });
});

describe('quoteText', () => {
  it('stays on one line and shows where the text ends', () => {
    expect(quoteText('say "yes"\n\u202e ')).toBe(String.raw`"say \"yes\"\n\u202e "`);
  });
});

describe('stripHidden', () => {
  it.each([
    ['terminal sequences', 'a\u001b[2J\u001b]8;;x\u0007b\u001b]0;t\u001b\\c\u009b1md\u001bce\u001b', 'abcde'],
    ['sequences within sequences', 'a\u001b\u001b[31m[8mb', 'a[8mb'],
    ['what shows nothing', 'a\u200b\u{e0049}\u202e\u00ad\u3164\ufe0fb\ud800', 'ab'],
    ['separators, which become line ends', 'a\u2028b\u000bc\rd', 'a\nb\nc\nd'],
  ])('removes %s', (_what, text, shown) => {
    expect(stripHidden(text)).toBe(shown);
  });

  it.each([
    ['lines', 'one\ntwo\r\n\tthree'],
    ['emoji', '👩‍👩‍👧‍👦 ❤️‍🔥 1️⃣ \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['scripts with joiners', 'می‌خواهم क्‍ष ශ්‍රී'],
  ])('leaves %s as they are', (_what, text) => {
    expect(stripHidden(text)).toBe(text);
  });

  it('takes linear time', () => {
    const starts = ['\u001b]', '\u009d', '\u001b[', '\u001bP', '\u0090x'];
    for (const start of starts) expect(stripHidden(start.repeat(200_000)).length).toBeLessThan(200_001);
  });
});

describe('stripDeceiving', () => {
  it('removes only sequences, tags and direction overrides', () => {
    const flag = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
    const kept = `\ufeffa\u200bb\u200e\u00ad ${flag} 👩‍👧 \ue000\r\n`;
    expect(stripDeceiving(`${kept}\u001b[1m\u{e0041}\u202e\u2066x`)).toBe(`${kept}x`);
  });
});
