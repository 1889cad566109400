import { showRisk, sourceOf } from '../../tool/tool-metadata.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import { alignColumns, toCell } from './columns.ts';
import type { FoundTool } from '../board/find-tools.ts';
import { paintRisk, toSummary } from './list-tools.ts';
import type { TextStyle } from './style.ts';

/** Lists found tools, best first; without a terminal, as lines of tab-separated fields. */
export function listFound(
  tools: readonly FoundTool[],
  redactor: Redactor,
  { style, width }: { readonly style: TextStyle; readonly width: number },
): string[] {
  const isTerminal = width !== Infinity;
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
  if (!isTerminal) return rows.map(({ cells, why }) => [...cells, ...(why === '' ? [] : [why])].join('\t'));
  const lines = alignColumns(
    rows.map(({ cells }) => cells),
    width,
  );
  return lines.flatMap((line, position) => {
    const why = rows[position]?.why ?? '';
    return why === '' ? [line] : [line, style.dim(`  ${why}`)];
  });
}

/** Formats matches as `changes (as change) in description, name`. */
function explain(matches: NonNullable<FoundTool['matches']>): string {
  return matches
    .map(({ word, as, fields }) => `${word}${as === undefined ? '' : ` (as ${as})`} in ${fields.join(', ')}`)
    .join('; ');
}

/** Summarizes a found tool for programs. */
export function toFoundSummary({ metadata, score, matches, duplicates }: FoundTool): Record<string, unknown> {
  return { ...toSummary(metadata), score, matches, duplicates };
}
