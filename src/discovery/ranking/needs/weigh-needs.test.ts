import { describe, expect, it } from 'vitest';
import { splitNeeds } from './weigh-needs.ts';

const yes = (): boolean => true;
const no = (): boolean => false;

describe('splitNeeds', () => {
  it.each([
    ['Find a hotel. Book a table.', ['Find a hotel.', 'Book a table.']],
    ['find a hotel and then book a table', ['find a hotel', 'book a table']],
    ['1. find a hotel 2. book a table', ['find a hotel', 'book a table']],
    ['- find a hotel\n- book a table', ['find a hotel', 'book a table']],
    ['find a hotel; book a table', ['find a hotel', 'book a table']],
    ['find a hotel, finally book a table', ['find a hotel', 'book a table']],
    ['find a hotel', []],
    ['', []],
  ])('splits %j', (query, needs) => {
    expect(splitNeeds(query, no).map(({ text }) => text.trim())).toEqual(needs);
  });

  it('splits a list with commas only if every part is a need', () => {
    expect(splitNeeds('find hotels, book tables and send mails', yes).map(({ text }) => text)).toEqual([
      'find hotels',
      'book tables',
      'send mails',
    ]);
    expect(splitNeeds('find hotels, book tables and send mails', no)).toEqual([]);
  });

  it('reads to the end, and returns the sentence of each need', () => {
    const needs = splitNeeds(`${'do it. '.repeat(100)}find a hotel and then book a table`, no);
    expect(needs).toHaveLength(102);
    expect(needs.at(-1)).toEqual({ text: 'book a table', sentence: 'find a hotel and then book a table' });
  });
});
