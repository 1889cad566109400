import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonSchema } from './read-json-schema.ts';
import { compilePattern, patternFault, runLinear } from './pattern.ts';
import { isDeterministic } from './pattern/is-deterministic.ts';
import { parsePattern } from './pattern/parse-pattern.ts';
import { splitLooks } from './pattern/pattern-node.ts';

/** Returns the flags with which V8 accepts a pattern, or `undefined`. */
function rulesOf(source: string): 'u' | '' | undefined {
  for (const flags of ['u', ''] as const) {
    try {
      void new RegExp(source, flags);
      return flags;
    } catch {}
  }
  return undefined;
}

/** Compares both engines with V8 on some texts. Returns false when linear time excludes the pattern. */
function agrees(source: string, texts: readonly string[]): boolean {
  const flags = rulesOf(source);
  if (flags === undefined || patternFault(source) !== undefined) return false;
  const expression = new RegExp(source, flags);
  const whole = new RegExp(`^(?:${source})$`, flags);
  const tests = {
    chosen: compilePattern(source),
    whole: compilePattern(source, { whole: true }),
    linear: runParts(source, flags === 'u'),
  };
  const found = texts.map((text) => [text, tests.chosen(text), tests.linear(text), tests.whole(text)]);
  const expected = texts.map((text) => [text, expression.test(text), expression.test(text), whole.test(text)]);
  expect({ source, found }).toEqual({ source, found: expected });
  return true;
}

function runParts(source: string, unicode: boolean): (text: string) => boolean {
  const tests = splitLooks(parsePattern(source, unicode)).map((part) => ({
    test: runLinear(part.node, unicode),
    negated: part.negated,
  }));
  return (text) => tests.every(({ test, negated }) => test(text) !== negated);
}

const texts = fc.array(
  fc.string({
    unit: fc.constantFrom(
      ...'aabbcAB01_- \n\r\u2028\u00a0.^$[]{}()|\\/cupxék\u017f\u212a\u0003\u0001🐲\ud83d\udc32'.split(''),
    ),
    maxLength: 8,
  }),
  { minLength: 4, maxLength: 10 },
);

describe('compilePattern', () => {
  it.each([
    ['^\\p{Letter}+$', 'Ünal', '٣'],
    ['^(\\p{Letter}|\\p{Nd})+$', 'Ünal٣', '-'],
    ['^\\d+$', '12', '٣'],
    ['^\\cC$', '\u0003', 'C'],
    ['^a\\/b$', 'a/b', 'ab'],
    ['^[\\w\\-]+$', 'a-b', 'a b'],
    ['\\a', 'a', 'b'],
    ['^🐲*$', '🐲🐲', '🐲\ud83d'],
    ['^.$', '🐲', '\u2028'],
    ['^(?:.)(?:)$', '🐲', '\r'],
    ['^[^]$', '\n', ''],
    ['^(a|[])*$', 'aa', 'ab'],
    ['^(?<name>[ab]+)+$', 'abab', 'abc'],
    ['^(x{2}|x{2}y)$', 'xxy', 'xy'],
    ['\\bcat\\b', 'a cat', 'cats'],
    ['^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z]+$', 'a.b@c', 'a..b@c'],
    ['^(?=.*[A-Z])(?=.*\\d).{4,}$', 'abC1', 'abcd1'],
    ['^(?:[a-z]{0,600}x){4}$', 'axbxcxdx', 'axbxcx'],
    ['^(?:a|b){1500,2500}$', 'ab'.repeat(800), 'ab'],
    ['^.{1,100000}$', 'a'.repeat(99_999), 'a'.repeat(100_001)],
  ])('reads %s as ECMAScript does', (source, match, other) => {
    const flags = rulesOf(source) ?? '';
    expect([match, other].map((text) => new RegExp(source, flags).test(text))).toEqual([true, false]);
    expect([match, other].map(compilePattern(source))).toEqual([true, false]);
  });

  it('reads inline flags as V8 does, if V8 supports them', () => {
    const sources = [
      '^(?i:straße|[k-m]+)$',
      '^(?i:(?-i:a)b|\\w)+$',
      '^(?i:a|\\W)+$',
      '(?s:.)a|(?i:\\p{Lu}x)x',
      '^(?is-:[^a]x)',
    ];
    const samples = ['STRASSE', 'STRAẞE', 'K\u212aL', 'aB', 'AB', '\u017f', '\na', 'ÉXx', 'bx', 'Ax', 'éxX'];
    for (const source of sources) if (rulesOf(source) !== undefined) agrees(source, samples);
    expect(patternFault('(?i:a)') ?? '').not.toContain('linear');
  });

  it('agrees with V8 on any text that is a pattern, by either engine', () => {
    const pieces = fc.constantFrom(
      ...'a b c . ^ $ | ( ) (?: (?<n> (?= (?! [ ] [^ - * + ? {2} {1,2} {,2} {2,} { } , \\d \\D \\w \\W \\s \\S'.split(
        ' ',
      ),
      ...'\\b \\B \\ca \\c \\c1 \\x41 \\x4 \\u0061 \\u{61} \\u{1F432} \\uD83D\\uDC32 \\ud83d \\p{L} \\P{Lu} \\p'.split(
        ' ',
      ),
      ...'\\0 \\1 \\2 \\8 \\07 \\k \\k<n> \\- \\/ \\. \\a \\t \\n \\\\ 🐲 \ud83d \\udc32 / 0 1 u p x k'.split(' '),
    );
    const patterns = fc.array(pieces, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(''));
    let ran = 0;
    fc.assert(
      fc.property(patterns, texts, (source, samples) => {
        if (agrees(source, samples)) ran++;
      }),
      { numRuns: 4000 },
    );
    expect(ran).toBeGreaterThan(500);
  });

  it('agrees with V8 on patterns with groups, choices and repeats inside each other', () => {
    const { node } = fc.letrec<{ node: string; atom: string }>((tie) => ({
      atom: fc.constantFrom(
        'a',
        'b',
        '.',
        '[ab]',
        '[^a]',
        '\\w',
        '\\s',
        '[a-c_-]',
        '\\d',
        '\\bb',
        '^a',
        'b$',
        '🐲',
        'c',
      ),
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        tie('atom'),
        fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
        fc.tuple(tie('node'), tie('node')).map((parts) => `(${parts.join('|')})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{0,2}', '{1,}'))
          .map(([a, q]) => `(?:${a})${q}`),
      ),
    }));
    fc.assert(
      fc.property(node, fc.boolean(), texts, (source, anchored, samples) => {
        fc.pre(source.length < 60);
        expect(agrees(anchored ? `^${source}$` : source, samples)).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  // A backtracking engine would never finish these.
  it.each([
    ['(a+)+$', 'a'],
    ['^(a+)+$', 'a'],
    ['(a|aa)+$', 'a'],
    ['^(a|a)*$', 'a'],
    ['(.*a){20}', 'b'],
    ['(.*a){20}b', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['a*a*a*a*a*b', 'a'],
    ['[a-z]+\\d', 'a'],
    ['(?:a?){50}a{50}$', 'a'],
    ['^(?=(a+)+$)b', 'a'],
    ['(\\w|\\a)+$', 'a'],
  ])('runs %s on 50 KB that never match', (source, letter) => {
    expect(compilePattern(source)(`${letter.repeat(50_000)}!`)).toBe(false);
  });

  it('continues with RE2 when V8 runs out of stack', () => {
    const source = '^(?:a|b)*$';
    const text = 'a'.repeat(10_000_000);
    expect(() => new RegExp(source, 'u').test(text)).toThrow(RangeError);
    expect(compilePattern(source)(text)).toBe(true);
  });

  it('matches the whole text on request, with anchors and alternatives too', () => {
    expect(['cat', 'dog', 'cats', 'hotdog'].map(compilePattern('cat|dog', { whole: true }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['a1', 'a1\n', 'b'].map(compilePattern('^(?!b)\\w+$', { whole: true }))).toEqual([true, false, false]);
    expect(() => compilePattern('a)|(b', { whole: true })).toThrow(SyntaxError);
  });

  it('loads RE2 only for a text and a pattern that V8 cannot run safely', () => {
    const script = `
      import { registerHooks } from 'node:module';
      let loaded = false;
      registerHooks({ load(url, context, next) { loaded ||= url.includes('re2js'); return next(url, context); } });
      const { compilePattern } = await import('./src/tool/schema/pattern.ts');
      const seen = [loaded];
      for (const source of ['^[a-z]+(-[a-z]+)*$', '^\\\\d{4}-\\\\d{2}$', '^\\\\p{L}+$', 'a+']) compilePattern(source)('a');
      const evil = compilePattern('(a+)+$');
      seen.push(loaded);
      evil('a');
      console.log(JSON.stringify([...seen, loaded]));`;
    const cwd = new URL('../../..', import.meta.url);
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' });
    expect(JSON.parse(out)).toEqual([false, false, true]);
  });
});

describe('patternFault', () => {
  const start = ', so that a lookahead can only be at the start, right after "^"';
  it.each([
    ['a(?=b)', `the lookahead "(?=" cannot be used: patterns run in linear time${start}`],
    ['^a|(?!b)c', `the lookahead "(?!" cannot be used: patterns run in linear time${start}`],
    ['(?<=a)b', 'the lookbehind "(?<=" cannot be used: patterns run in linear time'],
    ['(?<!a)b', 'the lookbehind "(?<!" cannot be used: patterns run in linear time'],
    ['(a)\\1', 'the backreference "\\1" cannot be used: patterns run in linear time'],
    ['(?<n>a)\\k<n>', 'the backreference "\\k<n>" cannot be used: patterns run in linear time'],
    [
      '((a|aa){100}){100}',
      'a pattern whose repeats add up to more than 5000 characters cannot be used: patterns run in linear time',
    ],
    ['(', '/(/: Unterminated group'],
    ['('.repeat(101) + ')'.repeat(101), 'groups must not be nested more than 100 deep'],
  ])('explains why %j cannot run', (source, fault) => {
    expect(patternFault(source)).toBe(fault);
    expect(() => compilePattern(source)).toThrow(SyntaxError);
  });

  it('refuses a pattern of more than 10,000 characters', () => {
    expect(patternFault('a'.repeat(10_001))).toBe('a pattern must not be longer than 10000 characters');
    expect(patternFault('a'.repeat(10_000))).toContain('more than 5000');
  });

  it('reports a pattern of a schema', () => {
    expect(checkJsonSchema({ type: 'string', pattern: '(a)\\1' })).toEqual([
      {
        path: ['pattern'],
        message:
          'must be a regular expression (the backreference "\\1" cannot be used: patterns run in linear time); got "(a)\\\\1"',
      },
    ]);
  });
});

describe('isDeterministic', () => {
  it.each([
    ['^[a-z]+$', true],
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', true],
    ['^\\d{4}-\\d{2}-\\d{2}$', true],
    ['^https?://[^/]+(/.*)?$', true],
    ['abc', true],
    ['x[0-9]+', true],
    ['[a-z]+x', false],
    ['[a-z]+-', false],
    ['^(a*)*$', false],
    ['^(a?)+$', false],
    ['^(a?)?$', false],
    ['^(a?|b?)$', false],
    ['^a{1,3}a$', false],
    ['^(a{1,2}){3}$', false],
    ['^(ab|ac)$', false],
    ['^a|b$', false],
    ['^a$b', false],
    ['a{65}', false],
    ['(?:[ab]{8}){9}', false],
  ])('of %s is %s', (source, expected) => {
    expect(isDeterministic(parsePattern(source, true))).toBe(expected);
  });
});
