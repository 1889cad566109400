import { describe, expect, it } from 'vitest';
import { splitNeeds } from './split-needs.ts';

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
    expect(splitNeeds(query, no).map((need) => need.trim())).toEqual(needs);
  });

  it('splits a list with commas only where every part is a need', () => {
    expect(splitNeeds('find hotels, book tables and send mails', yes)).toEqual([
      'find hotels',
      'book tables',
      'send mails',
    ]);
    expect(splitNeeds('find hotels, book tables and send mails', no)).toEqual([]);
  });

  it('stops at eight needs', () => {
    expect(splitNeeds('do it. '.repeat(100), no)).toHaveLength(8);
  });
});
