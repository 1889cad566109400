import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../diagnostics/diagnostic.ts';
import { readYaml } from './read-yaml.ts';

function complaint(text: string | Uint8Array): string {
  try {
    readYaml(typeof text === 'string' ? Buffer.from(text) : text, 'a.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('places', () => {
  const file = readYaml(Buffer.from('name: x\ntools:\n  - name: a\n    args: [one, "two"]\n'), 'a.yaml');

  it('finds values, keys, and the nearest ancestor', () => {
    expect(file.locate(['tools', 0, 'args', 1])).toMatchObject({ line: 4, column: 18, length: 3 });
    expect(file.locate(['tools', 0, 'args'], 'key')).toMatchObject({ line: 4, column: 5, length: 4 });
    expect(file.locate(['tools', 7, 'name'])).toMatchObject({ line: 2, column: 1 });
    expect(file.locate([])).toMatchObject({ line: 1, column: 1 });
  });

  it('reads booleans by YAML 1.2, and by 1.1 on request', () => {
    const yes = readYaml(Buffer.from('a: yes\nb: &x {c: 1}\nd: {<<: *x, e: 2}\n'), 'a.yaml');
    expect(yes.value).toEqual({ a: 'yes', b: { c: 1 }, d: { c: 1, e: 2 } });
    expect(yes.asYaml11()).toMatchObject({ a: true });
  });

  it('accepts a closing bracket no deeper than its key, as other parsers do', () => {
    expect(
      readYaml(Buffer.from('tools:\n  - args: [\n        a,\n        b\n    ]\n    name: |\n      ]\n'), 'a.yaml')
        .value,
    ).toEqual({
      tools: [{ args: ['a', 'b'], name: ']\n' }],
    });
  });
});

describe('refuses', () => {
  it.each([
    [
      'a key that stands twice',
      'a: 1\nb: 2\na: 3\n',
      'a.yaml:3:1 this key appears twice in the same mapping. Remove or rename one.\n    3 | a: 3\n      | ^',
    ],
    [
      'an unknown tag',
      'a: !foo bar\n',
      'a.yaml:1:4 unknown scalar tag !<!foo>. Tags are not used in config files: remove it.',
    ],
    ['two documents', 'a: 1\n---\nb: 2\n', 'a.yaml has 2 documents. Keep one'],
    ['brackets without end', '['.repeat(100_000), 'nesting exceeded maxDepth'],
    ['a value that contains itself', '&a [*a]', 'a.yaml is too large when its aliases are expanded.'],
    ['an unclosed list', 'a: [1, 2\nb: 3', 'a.yaml:2:1 is not valid YAML'],
    [
      'many keys',
      Array.from({ length: 200_000 }, (_, n) => `k${n}: v`).join('\n'),
      'a.yaml has more than 300000 values. Split it with import.',
    ],
    [
      'fifty megabytes',
      `a: ${'x'.repeat(50_000_000)}`,
      'a.yaml is 50 MB; a config file may have 5 MB. Split it with import.',
    ],
  ])('%s', (_, text, message) => {
    expect(complaint(text)).toContain(message);
  });

  it('aliases that multiply', () => {
    const levels = 'abcdefghij';
    const bomb = Array.from(levels, (name, index) =>
      index === 0
        ? 'a: &a [x,x,x,x,x,x,x,x,x]'
        : `${name}: &${name} [${Array.from({ length: 9 }, () => `*${levels[index - 1]}`).join(',')}]`,
    );
    expect(complaint(bomb.join('\n'))).toContain('is too large when its aliases are expanded');
  });

  it('files that are not text', () => {
    expect(complaint(Uint8Array.of(0x61, 0))).toBe('a.yaml is a binary file, not YAML.');
    expect(complaint(Uint8Array.of(0x61, 0xff))).toBe('a.yaml is not UTF-8 text. Save it as UTF-8.');
  });
});

it('never throws anything but a ConfigError', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '&a',
    '*a',
    '|',
    '>',
    '"',
    "'",
    '!!',
    '#',
    '\t',
    '? ',
    '---',
    '%',
    '~',
    '<<: ',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        expect(() => complaint(text)).not.toThrow();
      },
    ),
    { numRuns: 1500 },
  );
});
