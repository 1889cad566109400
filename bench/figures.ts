import type { BenchResults } from './results.ts';

/** The path of a single figure of a page in the results, and its format on the page. */
interface Figure {
  readonly report: string;
  readonly row: string;
  readonly column: string;
  /** Default: as the table has it. */
  readonly show?: (cell: string) => string;
}

const toMicroseconds = (nanoseconds: string): string => (numberOf(nanoseconds) / 1_000).toPrecision(2);
const toWhole = (cell: string): string => String(Math.round(numberOf(cell)));
/** The first of "recall@5 / nDCG@10". */
const toRecall = (cell: string): string => cell.split(' / ')[0] ?? cell;

const call = (row: string): Figure => ({
  report: 'call-overhead',
  row,
  column: 'ns per call',
  show: toMicroseconds,
});
const recall = (column: string): Figure => ({ report: 'discovery', row: 'average', column, show: toRecall });
const served = (row: string): Figure => ({ report: 'mcp', row, column: 'requests/s, 50 connections' });
const step = (row: string): Figure => ({ report: 'agent-loop', row, column: 'µs per step', show: toWhole });
const loaded = (row: string): Figure => ({
  report: 'import-cost',
  row,
  column: 'ms more than bare Node',
  show: toWhole,
});
const RECORDED = { sqlite: 'one process on SQLite, record: summary', postgres: '1 replica, record: summary' };
const ofCore = (row: string): Figure => ({ report: 'replicas', row, column: 'requests/s of a core' });
const line = (row: string, show?: Figure['show']): Figure => ({
  report: 'journal',
  row,
  column: 'bytes a line, with indexes',
  ...(show === undefined ? {} : { show }),
});
const approvals = (row: string): Figure => ({
  report: 'approvals',
  row,
  column: 'approvals/s, 8 at once',
  show: toWhole,
});
const code = (row: string, column: string): Figure => ({ report: 'code-mode', row, column });
/** Gigabytes that lines of so many bytes make in a day, with a hundred calls a second. */
const toDay = (bytes: string): string => ((numberOf(bytes) * 100 * 86_400) / 1e9).toPrecision(2);

/** The figures that stand alone in a text, as `<!-- figure: NAME -->…<!-- /figure -->`. */
export const FIGURES: Readonly<Record<string, Figure>> = {
  'tokens-listed': { report: 'tokens', row: '1,000', column: 'classic, MCP' },
  'tokens-discovery': { report: 'tokens', row: '1,000', column: 'discovery, MCP' },
  recall: recall('Pegboard'),
  'recall-minisearch': recall('MiniSearch'),
  'recall-bm25': recall('plain BM25'),
  'recall-tuned': recall('hand-tuned BM25'),
  call: call('Pegboard registry.call'),
  'call-mastra': call('Mastra tool.execute'),
  'call-langchain': call('LangChain tool.invoke'),
  'call-json': call('Pegboard registry.call, from JSON'),
  'call-openai': call('OpenAI Agents tool.invoke, from JSON'),
  served: served('Pegboard, 100 tools'),
  'served-official': served('official 2.4, 100 tools'),
  'served-official-once': served('official 2.4, schemas made once, 100 tools'),
  'served-fastmcp': served('fastmcp 4.20, 100 tools'),
  step: step('runAgent'),
  'step-generatetext': step('generateText'),
  import: loaded('pegboard'),
  'import-ai': loaded('ai'),
  'import-mastra': loaded('@mastra/core/tools'),
  'import-langchain': loaded('@langchain/core/tools'),
  'core-sqlite': ofCore(RECORDED.sqlite),
  'core-postgres': ofCore(RECORDED.postgres),
  'database-time': { report: 'replicas', row: RECORDED.postgres, column: 'µs of PostgreSQL', show: toWhole },
  'line-sqlite': line('SQLite'),
  'line-postgres': line('PostgreSQL'),
  'day-sqlite': line('SQLite', toDay),
  'day-postgres': line('PostgreSQL', toDay),
  'approvals-sqlite': approvals('SQLite'),
  'approvals-postgres': approvals('PostgreSQL'),
  'code-up-front': code('Code', 'Tokens up front'),
  'code-direct': code('Direct', '× Code, tokens'),
  'code-ai-sdk': code('@ai-sdk/code-mode', '× Code, tokens'),
  'code-utcp': code('@utcp/code-mode', '× Code, tokens'),
};

/** Reads one of {@link FIGURES} from the results. */
export function readFigure(name: string, results: BenchResults): string {
  const figure = FIGURES[name];
  if (figure === undefined)
    throw new Error(`Unknown figure "${name}". Use one of: ${Object.keys(FIGURES).join(', ')}.`);
  const { report, row, column, show = (cell) => cell } = figure;
  for (const { head, rows } of results.reports[report]?.tables ?? []) {
    const cell = rows.find(([first]) => first === row)?.[head.indexOf(column)];
    if (cell !== undefined) return show(cell);
  }
  throw new Error(
    `bench/results.json has no "${column}" of "${row}" in ${report}. Run: npm run bench -- ${report} --write`,
  );
}

function numberOf(cell: string): number {
  return Number(cell.replaceAll(',', ''));
}
