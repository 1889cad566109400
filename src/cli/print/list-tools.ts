import { riskFields, showRisk, sourceOf, type ToolMetadata } from '../../tool/tool-metadata.ts';
import type { Redactor } from '../../guard/secrets/redactor.ts';
import { type CliContext, printLine } from '../cli-context.ts';
import { alignColumns, toCell, widthOf } from './columns.ts';
import { counted } from '../../tool/texts/counted.ts';
import { createStyle, type Style } from './style.ts';

/** Tools for people, under the name of their source; or a line of tab-separated fields for each when piped. */
export function printTools(tools: readonly ToolMetadata[], redactor: Redactor, context: CliContext): void {
  const { stdout, env } = context;
  const describe = (text: string): string => redactor.text(toCell(text));
  if (stdout.isTTY !== true) {
    for (const metadata of tools) {
      const { name, description } = metadata;
      printLine(stdout, [name, sourceOf(metadata), showRisk(metadata), describe(description)].join('\t'));
    }
    return;
  }
  const style = createStyle(stdout, env);
  const groups = Map.groupBy(tools, sourceOf);
  for (const [source, members] of groups) {
    printLine(stdout, style.bold(source));
    const rows = members.map((metadata) => [
      style.cyan(metadata.name),
      paintRisk(showRisk(metadata), style),
      describe(`${metadata.deprecated === true ? '(deprecated) ' : ''}${metadata.description}`),
    ]);
    for (const line of alignColumns(rows, widthOf(stdout) - 2, 'wrap')) printLine(stdout, `  ${line}`);
    printLine(stdout, '');
  }
  const sources = groups.size > 1 ? ` from ${groups.size} sources` : '';
  printLine(stdout, style.dim(`${counted(tools.length, 'tool')}${sources}`));
}

/** A tool in a few fields, for programs. */
export function toSummary(metadata: ToolMetadata): Record<string, unknown> {
  const { name, description, category, tags, deprecated } = metadata;
  return { name, description, source: sourceOf(metadata), category, tags, ...riskFields(metadata), deprecated };
}

/** A risk in its colour. */
export function paintRisk(risk: string, style: Style): string {
  if (risk === 'destructive') return style.red(risk);
  return risk.startsWith('write') || risk.includes(' to ') ? style.yellow(risk) : style.green(risk);
}
