import { riskFields, showRisk, sourceOf, type ToolMetadata } from '../../tool/tool-metadata.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import { alignColumns, toCell } from './columns.ts';
import { counted } from '../../tool/texts/counted.ts';
import type { TextStyle } from './style.ts';

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
