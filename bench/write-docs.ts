import { readFileSync, writeFileSync } from 'node:fs';
import { describeMachine } from './describe-machine.ts';
import { drawChart } from './draw-chart.ts';
import { type BenchReport, toMarkdown } from './report.ts';

/** Puts the figures into docs/benchmarks.md, each between its markers, and draws docs/benchmarks.svg anew. */
export function writeDocs(root: string, reports: readonly BenchReport[]): void {
  const path = `${root}/docs/benchmarks.md`;
  let page = fillSection(readFileSync(path, 'utf8'), 'machine', describeMachine(root));
  for (const report of reports) {
    page = fillSection(page, report.name, toMarkdown(report));
    if (report.chart !== undefined) writeFileSync(`${root}/docs/benchmarks.svg`, drawChart(report.chart));
  }
  writeFileSync(path, page);
}

function fillSection(page: string, name: string, content: string): string {
  const start = `<!-- bench: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to < from) {
    throw new Error(`docs/benchmarks.md has no place for "${name}". Add the lines ${start} and ${end}.`);
  }
  return `${page.slice(0, from)}${start}\n\n${content}\n\n${page.slice(to)}`;
}
