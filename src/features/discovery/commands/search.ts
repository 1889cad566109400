import type { ToolRisk } from '../../../tool/tool-metadata.ts';
import { explainFilter } from '../../../discovery/meta-tools/find-groups.ts';
import { printLine } from '../../../cli/shared/cli-context.ts';
import { defineCommand, flag, valueOption, WAIT_OPTION } from '../../../cli/shared/command.ts';
import { findTools } from '../../../cli/shared/board/find-tools.ts';
import { listFound, toFoundSummary } from '../../../cli/shared/print/list-tools.ts';
import { parseChoice, parseCount } from '../../../cli/shared/parse-values.ts';
import { readingBoard, redactorOf } from '../../../cli/shared/board/use-board.ts';

const DEFAULT_LIMIT = 10;
const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

export const search = defineCommand({
  name: 'search',
  description: 'Finds tools by what they do, best first. Use your own words.',
  arguments: [{ name: 'QUERY', description: 'What the tool should do', required: true, multiple: true }],
  options: {
    ...WAIT_OPTION,
    category: valueOption('NAME', 'Only tools of this category'),
    source: valueOption('NAME', 'Only tools from this file, server or command'),
    tag: valueOption('NAME', 'Only tools with this tag'),
    risk: valueOption('RISK', `Only tools of this risk: ${RISKS.join(', ')}`, { choices: RISKS }),
    kind: valueOption('KIND', 'Only tools of this kind: cli, run, http, …'),
    limit: valueOption('N', `The number of tools to show (default: ${DEFAULT_LIMIT})`),
    explain: flag('Show which words matched where (default on a terminal)'),
    plain: flag("Search for the literal text, in the board's order"),
  },
  examples: [
    ['pegboard search what did I change', 'tools that can tell you'],
    ['pegboard search list containers --risk read --explain', 'only harmless tools, with the reasons'],
  ],
  parse({ values }) {
    const { category, source, tag, kind } = values;
    const risk =
      values.risk === undefined
        ? undefined
        : parseChoice(values.risk.toLowerCase(), RISKS, { option: '--risk', command: 'search' });
    const filter = { category, cli: source, tag, kind, risk };
    const limit = parseCount(values.limit, { option: '--limit', command: 'search', least: 1 }) ?? DEFAULT_LIMIT;
    return { filter, limit };
  },
  board: readingBoard,
  async run({ values, positionals, parsed: { filter, limit }, context, board }) {
    const query = positionals.join(' ');
    const redactor = redactorOf(board);
    const { tools, note } = await findTools(board, query, {
      ...filter,
      limit,
      // A person always sees the reasons; a program asks for them.
      explain: values.explain || context.stdout.isTTY === true,
      plain: values.plain,
    });
    const isEmpty = tools.length === 0;
    const remark = isEmpty ? (explainFilter(board.index, filter) ?? note) : note;
    // Programs also get the reason when nothing is found.
    if (isEmpty && remark !== undefined) printLine(context.stderr, remark);
    return {
      data: redactor.data(tools.map(toFoundSummary)),
      view: (style, width) => listFound(tools, redactor, { style, width }),
      notes: isEmpty || remark === undefined ? [] : remark,
      exitCode: isEmpty ? 1 : 0,
    };
  },
});
