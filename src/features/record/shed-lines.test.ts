import { expect, it } from 'vitest';
import type { JournalLine } from '../../platform/store/board-store.ts';
import { shedLines } from './shed-lines.ts';

const line = (caller: string, at: number): JournalLine => ({
  at,
  type: 'ended',
  call: `${caller}${at}`,
  caller,
  body: '{}',
});

it('drops the oldest lines of the caller with most lines, and none of others', () => {
  const lines = [
    line('ada', 1),
    ...Array.from({ length: 10 }, (_, at) => line('mallory', at)),
    line('bob', 1),
    line('ada', 2),
  ];
  const kept = ['ada1', 'mallory6', 'mallory7', 'mallory8', 'mallory9', 'bob1', 'ada2'];
  expect(shedLines(lines, 7).map(({ call }) => call)).toEqual(kept);
  expect(shedLines(lines, 100)).toHaveLength(13);
  expect(shedLines([line('a', 1), line('b', 1), line('c', 1)], 2).map(({ call }) => call)).toEqual(['b1', 'c1']);
});
