import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findUnknownNames, parseTemplate } from './template.ts';

describe('parseTemplate', () => {
  it('separates text and placeholders with their positions', () => {
    const { parts, faults } = parseTemplate('a {{ one }} b{{two:-x y}}');
    expect(parts).toEqual([
      'a ',
      { name: 'one', fallback: undefined, start: 2, end: 11 },
      ' b',
      { name: 'two', fallback: 'x y', start: 13, end: 25 },
    ]);
    expect(faults).toEqual([]);
  });

  it('keeps an empty default and one that contains ":-" or "{"', () => {
    const { placeholders } = parseTemplate('{{a:-}}{{b:-x:-y}}{{c:-{}}');
    expect(placeholders.map(({ fallback }) => fallback)).toEqual(['', 'x:-y', '{']);
  });

  it('reports a placeholder that is not closed', () => {
    expect(parseTemplate('x {{name').faults).toEqual([
      { message: 'placeholder "{{name" is not closed. End it with "}}".', start: 2, end: 8 },
    ]);
  });

  it('reports every placeholder without a name', () => {
    const { faults } = parseTemplate('{{}} {{ :-x}} {{{a}}');
    expect(faults.map(({ start, end }) => [start, end])).toEqual([
      [0, 4],
      [5, 13],
      [14, 20],
    ]);
    expect(faults[0]?.message).toBe('"{{}}" is not a placeholder. Write {{name}} or {{name:-default}}.');
  });

  it('never throws, and its parts form the text', () => {
    const text = fc.string({ unit: fc.constantFrom('{', '}', 'a', ':', '-', ' ', '\n', '😀') });
    fc.assert(
      fc.property(text, (source) => {
        const { parts, faults } = parseTemplate(source);
        if (faults.length > 0) return;
        expect(
          parts.map((part) => (typeof part === 'string' ? part : source.slice(part.start, part.end))).join(''),
        ).toBe(source);
      }),
    );
  });
});

describe('findUnknownNames', () => {
  it('lists the arguments and the nearest one', () => {
    expect(findUnknownNames(parseTemplate('/{{usr}}'), ['user', 'id'])).toEqual([
      { message: 'unknown argument "usr". Did you mean "user"? Use one of: user, id.', start: 1, end: 8 },
    ]);
  });

  it('says when there are no arguments', () => {
    expect(findUnknownNames(parseTemplate('{{a}}'), [])[0]?.message).toBe('unknown argument "a". The tool has none.');
  });
});
