import { riskFields, showRisk, sourceOf, type ToolMetadata } from '../../../tool/tool-metadata.ts';
import type { Redactor } from '../../../guard/secrets/redactor.ts';
import { alignColumns, toCell } from './columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { TextStyle } from './style.ts';
import type { FoundTool } from '../board/find-tools.ts';

/** Lists tools grouped by source; without a terminal, as lines of tab-separated fields. */
export function listTools(
  tools: readonly ToolMetadata[],
  redactor: Redactor,
  { style, width }: { readonly style: TextStyle; readonly width: number },
): string[] {
  const describe = (text: string): string => redactor.text(toCell(text));
  if (width === Infinity)
    return tools.map((tool) => [tool.name, sourceOf(tool), showRisk(tool), describe(tool.description)].join('\t'));
  const groups = Map.groupBy(tools, sourceOf);
  const sources = groups.size > 1 ? ` from ${groups.size} sources` : '';
  const lines = [...groups].flatMap(([source, members]) => {
    const rows = members.map((metadata) => [
      style.cyan(metadata.name),
      paintRisk(showRisk(metadata), style),
      describe(`${metadata.deprecated === true ? '(deprecated) ' : ''}${metadata.description}`),
    ]);
    return [style.bold(source), ...alignColumns(rows, width - 2, 'wrap').map((line) => `  ${line}`), ''];
  });
  return [...lines, style.dim(`${counted(tools.length, 'tool')}${sources}`)];
}

/** Summarizes a tool for programs. */
export function toSummary(metadata: ToolMetadata): Record<string, unknown> {
  const { name, description, category, tags, deprecated } = metadata;
  return { name, description, source: sourceOf(metadata), category, tags, ...riskFields(metadata), deprecated };
}

export function paintRisk(risk: string, style: TextStyle): string {
  if (risk === 'destructive') return style.red(risk);
  return risk.startsWith('write') || risk.includes(' to ') ? style.yellow(risk) : style.green(risk);
}

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
