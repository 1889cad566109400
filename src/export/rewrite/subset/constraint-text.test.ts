import { expect, test } from 'vitest';
import { constraintText, withRemark } from './constraint-text.ts';

test('describes constraints in words', () => {
  const all = [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'pattern',
    'format',
    'multipleOf',
    'uniqueItems',
    'default',
    'minimum',
    'exclusiveMinimum',
    'contains',
  ];
  expect(constraintText({ minLength: 3, maxLength: 20 }, all)).toBe('3 to 20 characters');
  expect(constraintText({ minLength: 1 }, all)).toBe('at least 1 character');
  expect(constraintText({ minItems: 2, maxItems: 2, uniqueItems: true }, all)).toBe('exactly 2 items, no item twice');
  expect(constraintText({ pattern: '^a$', format: 'uri' }, all)).toBe('matches ^a$, format: uri');
  expect(constraintText({ minimum: 1, multipleOf: 5 }, all)).toBe('at least 1, a multiple of 5');
  expect(constraintText({ exclusiveMinimum: 0, default: 'x' }, all)).toBe('default: "x", more than 0');
  expect(constraintText({ contains: { const: 1 } }, all)).toBe('contains: {"const":1}');
  expect(constraintText({ minLength: 3 }, [])).toBe('');
});

test('appends a remark to a description, or returns it alone', () => {
  expect(withRemark('A name.', '3 characters')).toBe('A name. (3 characters)');
  expect(withRemark(undefined, '3 characters')).toBe('(3 characters)');
  expect(withRemark('A name.', '')).toBe('A name.');
});
