import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { explainFilter } from '../../discovery/meta-tools/explain-filter.ts';
import { printJson, printLine } from '../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../command-line/command.ts';
import { findTools } from '../board/find-tools.ts';
import { printFound, toFoundSummary } from '../print/print-found.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { redactorOf, useBoard } from '../board/use-board.ts';

const DEFAULT_LIMIT = 10;
const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/** `pegboard search`: tools by what they do. */
export const search = defineCommand({
  name: 'search',
  description: 'Finds tools by what they do, best first. Ask in your own words.',
  arguments: [{ name: 'QUERY', description: 'What the tool should do', required: true, multiple: true }],
  options: {
    ...FILE_OPTION,
    category: { type: 'string', value: 'NAME', description: 'Only tools of this category' },
    source: { type: 'string', value: 'NAME', description: 'Only tools from this file, server or command' },
    tag: { type: 'string', value: 'NAME', description: 'Only tools with this tag' },
    risk: { type: 'string', value: 'RISK', description: `Only tools of this risk: ${RISKS.join(', ')}` },
    kind: { type: 'string', value: 'KIND', description: 'Only tools of this kind: cli, run, http, …' },
    limit: { type: 'string', value: 'N', description: `How many to show (default: ${DEFAULT_LIMIT})` },
    explain: { type: 'boolean', description: 'Tell which words were found where' },
    plain: { type: 'boolean', description: "Look for the text as it stands, in the board's order" },
  },
  examples: [
    ['pegboard search what did I change', 'the tools that would tell you'],
    ['pegboard search list containers --risk read --explain', 'only harmless ones, and why they were found'],
  ],
  run: ({ values, positionals, json, context }) => {
    const { category, source, tag, kind } = values;
    const filter = { category, cli: source, tag, kind, risk: readRisk(values.risk) };
    const limit = readLimit(values.limit) ?? DEFAULT_LIMIT;
    return useBoard(values.file, { context }, async (board) => {
      const query = positionals.join(' ');
      const redactor = redactorOf(board);
      const { tools, note } = await findTools(board, query, {
        ...filter,
        limit,
        explain: values.explain,
        plain: values.plain,
      });
      if (json) printJson(context, redactor.data(tools.map(toFoundSummary)));
      else if (tools.length > 0) printFound(tools, redactor, context);
      const told = tools.length === 0 ? (explainFilter(board.index, filter) ?? note) : note;
      if (told !== undefined && (!json || tools.length === 0)) printLine(context.stderr, told);
      return tools.length > 0 ? 0 : 1;
    });
  },
});

function readRisk(value: string | undefined): ToolRisk | undefined {
  const risk = RISKS.find((known) => known === value?.toLowerCase());
  if (value === undefined || risk !== undefined) return risk;
  throw new UsageError(`Unknown risk "${value}". Use one of: ${RISKS.join(', ')}.`, 'search');
}

function readLimit(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new UsageError(`--limit takes a whole number, 1 or more; got "${value}".`, 'search');
}
