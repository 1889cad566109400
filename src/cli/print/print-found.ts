import { showRisk, sourceOf } from '../../tool/tool-metadata.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import { type CliContext, printLine } from '../cli-context.ts';
import { alignColumns, toCell } from './columns.ts';
import type { FoundTool } from '../board/find-tools.ts';
import { paintRisk, toSummary } from './list-tools.ts';
import { createStyle } from './style.ts';

/** Found tools in their order, best first; a line of tab-separated fields for each when piped. */
export function printFound(tools: readonly FoundTool[], redactor: Redactor, context: CliContext): void {
  const { stdout, env } = context;
  const style = createStyle(stdout, env);
  const isTerminal = stdout.isTTY === true;
  const rows = tools.map(({ metadata, score, matches }) => {
    const { name, description } = metadata;
    return {
      cells: [
        ...(isTerminal && score !== undefined ? [style.bold(score.toFixed(2))] : []),
        style.cyan(name),
        style.dim(sourceOf(metadata)),
        paintRisk(showRisk(metadata), style),
        redactor.text(toCell(description)),
      ],
      why: matches === undefined ? '' : explain(matches),
    };
  });
  const lines = isTerminal
    ? alignColumns(
        rows.map(({ cells }) => cells),
        stdout.columns || 80,
      )
    : rows.map(({ cells, why }) => [...cells, ...(why === '' ? [] : [why])].join('\t'));
  for (const [position, line] of lines.entries()) {
    printLine(stdout, line);
    const why = rows[position]?.why ?? '';
    if (isTerminal && why !== '') printLine(stdout, style.dim(`  ${why}`));
  }
}

/** `changes (as change) in description, name` */
function explain(matches: NonNullable<FoundTool['matches']>): string {
  return matches
    .map(({ word, as, fields }) => `${word}${as === undefined ? '' : ` (as ${as})`} in ${fields.join(', ')}`)
    .join('; ');
}

/** A found tool in a few fields, for programs. */
export function toFoundSummary({ metadata, score, matches, duplicates }: FoundTool): Record<string, unknown> {
  return { ...toSummary(metadata), score, matches, duplicates };
}
