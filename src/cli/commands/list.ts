import { counted } from '../../tool/texts/counted.ts';
import { risksFrom, risksOf, sourceOf, type ToolMetadata } from '../../tool/tool-metadata.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, listOption, WAIT_OPTION } from '../shared/command.ts';
import { parseChoice } from '../shared/parse-values.ts';
import { listBoard } from '../shared/board/list-board.ts';
import { listTools, toSummary } from '../shared/print/list-tools.ts';

const RISKS = risksFrom('read');

export const list = defineCommand({
  name: 'list',
  description: 'Lists the tools, grouped by source; in a pipe, one line each with tabs between fields.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    ...WAIT_OPTION,
    category: listOption('NAME', 'Only tools of this category'),
    tag: listOption('NAME', 'Only tools with this tag'),
    source: listOption('NAME', 'Only tools from this file or command'),
    risk: listOption('RISK', 'Only tools whose calls have this risk: read, write or destructive', { choices: RISKS }),
  },
  examples: [
    ['pegboard list', 'the tools of this board'],
    ['pegboard list git.yaml docker.yaml --tag read', 'the tagged tools of two files'],
    ['pegboard list --risk destructive', 'tools that should ask a person'],
  ],
  async run({ values, positionals, context }) {
    const risks = values.risk.map((risk) => parseChoice(risk, RISKS, { option: '--risk', command: 'list' }));
    const {
      tools: all,
      unavailable,
      redactor,
    } = await listBoard([...positionals, ...values.file], {
      context,
      wait: values.wait,
    });
    const tools = all.filter(
      (metadata) =>
        matches(values.category, [metadata.category]) &&
        matches(values.tag, metadata.tags ?? []) &&
        matches(values.source, [sourceOf(metadata)]) &&
        matches(risks, risksOf({ metadata })),
    );
    const isFiltered = [values.category, values.tag, values.source, risks].some((filter) => filter.length > 0);
    const off = isFiltered ? [] : unavailable;
    const absent = off.map(({ name, reason }) => ({ name, unavailable: reason }));
    return {
      data: redactor.data([...tools.map(toSummary), ...absent]),
      view: (style, width) => (tools.length === 0 ? [] : listTools(tools, redactor, { style, width })),
      notes: [...(tools.length === 0 ? [explainNone(all, values)] : []), ...off.map(explainAbsence)],
    };
  },
});

function explainAbsence({ name, reason }: { readonly name: string; readonly reason: string }): string {
  // Most reasons are whole sentences that name the tool.
  const isSentence = reason.toLowerCase().startsWith(`the tool ${JSON.stringify(name)} `.toLowerCase());
  return isSentence ? `T${reason.slice(1)}` : `${name} is unavailable: ${reason}`;
}

function matches(wanted: readonly string[], values: readonly (string | undefined)[]): boolean {
  return wanted.length === 0 || values.some((value) => value !== undefined && wanted.includes(value));
}

/** Explains an empty list: the board is empty, or no tool passes the filters. */
function explainNone(
  all: readonly ToolMetadata[],
  wanted: Readonly<Record<'category' | 'tag' | 'source', readonly string[]>>,
): string {
  if (all.length === 0) return 'The board has no tools.';
  const known = {
    category: all.map(({ category }) => category),
    tag: all.flatMap(({ tags }) => tags ?? []),
    source: all.map(sourceOf),
  };
  for (const filter of ['category', 'tag', 'source'] as const) {
    const names = [...new Set(known[filter])].filter((name) => name !== undefined);
    const unknown = wanted[filter].find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    const [nearest] = nearestNames(unknown, names, 1);
    const hint = nearest === undefined ? `There are: ${names.join(', ') || 'none'}.` : `Did you mean "${nearest}"?`;
    return `No tool has the ${filter} "${unknown}". ${hint}`;
  }
  return `None of ${counted(all.length, 'tool')} passes all filters.`;
}
