import { expect, it } from 'vitest';
import { formatHeadings, withoutHeadings } from './chunk.ts';

const HEADINGS = ['Guide', 'Install', 'On a server'];

it.for([1000, 60])('removes the line of headings, whole or shortened (%i)', (size) => {
  for (const above of [HEADINGS, HEADINGS.slice(0, 2), HEADINGS.slice(0, 1), []]) {
    expect(withoutHeadings(`${formatHeadings(above, size)}## Body\n\nMore`, HEADINGS)).toBe('## Body\n\nMore');
  }
});

it('keeps text that only looks like headings', () => {
  expect(withoutHeadings('Guide to Rome\n\nText', HEADINGS)).toBe('Guide to Rome\n\nText');
  expect(withoutHeadings('Text', HEADINGS)).toBe('Text');
});
