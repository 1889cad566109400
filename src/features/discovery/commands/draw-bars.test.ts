import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { drawBars } from './draw-bars.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';

const style = createStyle(new PassThrough(), {});
const rows = [
  { name: 'classic', note: '81 tools', tokens: 8000 },
  { name: 'half', note: '', tokens: 4000 },
  { name: 'discovery', note: '3 tools', tokens: 1 },
  { name: 'nothing', note: '', tokens: 0 },
];

it('draws bars in proportion to the figures, and none longer than the line', () => {
  const lines = drawBars(rows, { width: 40, style });
  expect(lines).toEqual([
    'classic    81 tools  8,000  ████████████',
    'half                 4,000  ██████',
    'discovery  3 tools       1  ▏',
    'nothing                  0',
  ]);
});

it('draws nothing without rows', () => {
  expect(drawBars([], { width: 80, style })).toEqual([]);
});
