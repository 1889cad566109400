import type { StoredLine } from '../../../platform/store/board-store.ts';
import { printLine } from '../../../cli/shared/cli-context.ts';
import { defineCommand, valueOption } from '../../../cli/shared/command.ts';
import { readTime } from '../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';

const COLUMNS = [
  'number',
  'at',
  'type',
  'call',
  'parent',
  'tool',
  'caller',
  'outcome',
  'body',
  'chain',
  'place',
  'seal',
] as const;

export const auditExport = defineCommand({
  name: 'audit export',
  description: 'Writes every line of the record to stdout, oldest first, with its seal if it has one.',
  options: {
    format: valueOption('NAME', 'jsonl or csv (default: jsonl)'),
    since: valueOption('TIME', 'Such as 10m, 2h, 7d, or a date'),
    until: valueOption('TIME', 'The end, in the same format'),
  },
  examples: [
    ['pegboard audit export > audit.jsonl', 'the whole record'],
    ['pegboard audit export --format csv --since 7d > week.csv', 'for a spreadsheet'],
  ],
  parse({ values: { format = 'jsonl' } }) {
    if (format !== 'jsonl' && format !== 'csv')
      throw new UsageError(`--format takes jsonl or csv; got "${format}".`, 'audit export');
    return format;
  },
  board: { mode: 'look' },
  async run({ values: { since, until }, parsed: format, context, board }) {
    const time = (text: string | undefined, option: string): number | undefined =>
      text === undefined ? undefined : readTime(text, option, 'audit export');
    if (format === 'csv') printLine(context.stdout, COLUMNS.join(','));
    const wanted = { since: time(since, '--since'), until: time(until, '--until') };
    for await (const line of board.audit.lines(wanted))
      printLine(context.stdout, format === 'csv' ? toCsv(line) : JSON.stringify(line));
    return 0;
  },
});

function toCsv(line: StoredLine): string {
  return COLUMNS.map((column) => toCell(column === 'at' ? new Date(line.at).toISOString() : line[column])).join(',');
}

/** Quotes a cell and prevents spreadsheets from reading it as a formula: texts come from callers. */
function toCell(value: string | number | undefined): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
