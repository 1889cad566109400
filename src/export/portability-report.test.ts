import { expect, test } from 'vitest';
import { createReport, formatReport, type PortabilityEntry } from './portability-report.ts';

const entries: PortabilityEntry[] = [
  { tool: 'a', path: 'limit', rule: 'minimum', action: 'dropped', message: 'The description says it.' },
  { tool: 'b', path: '(arguments)', rule: 'top level object', action: 'quarantined', message: 'Wrap it in an object.' },
  { tool: 'b', path: 'x', rule: '$ref', action: 'quarantined', message: 'Add it under $defs.' },
];

test('writes one line per entry, as formatReport and as text', () => {
  const report = createReport(entries);
  const lines = [
    'a › limit › minimum › dropped: The description says it.',
    'b › (arguments) › top level object › quarantined: Wrap it in an object.',
    'b › x › $ref › quarantined: Add it under $defs.',
  ];
  expect(formatReport(report)).toBe(lines.join('\n'));
  expect(String(report)).toBe(lines.join('\n'));
});

test('names a quarantined tool once and stays plain data', () => {
  const report = createReport(entries);
  expect(report.quarantined).toEqual(['b']);
  expect(JSON.parse(JSON.stringify(report))).toEqual({ entries, quarantined: ['b'] });
});

test('is empty when nothing was changed', () => {
  expect(formatReport(createReport([]))).toBe('');
});
