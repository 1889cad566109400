import { readFileSync, writeFileSync } from 'node:fs';
import { drawChart } from './draw-chart.ts';
import { FIGURES, readFigure } from './figures.ts';
import { toMarkdown } from './report.ts';
import type { BenchResults, Stamp } from './results.ts';

/** The pages and pictures that show figures. */
export const PAGES = [
  'README.md',
  'docs/benchmarks.md',
  'docs/code-mode.md',
  'docs/code-mode-figures.md',
  'docs/deploy.md',
  'docs/discovery-figures.md',
  'docs/knowledge-figures.md',
  'docs/store-figures.md',
];
export const CHART = 'docs/benchmarks.svg';

/** Writes the figures into all pages, and draws the chart anew. */
export function fillPages(root: string, results: BenchResults): void {
  for (const page of PAGES) {
    writeFileSync(`${root}/${page}`, fillPage(readFileSync(`${root}/${page}`, 'utf8'), results));
  }
  writeFileSync(`${root}/${CHART}`, drawCalls(results));
}

/** Fills a page: `<!-- bench: NAME -->` to `<!-- end: NAME -->` with tables, `<!-- figure: NAME -->` with one figure. */
export function fillPage(page: string, results: BenchResults): string {
  return page
    .replaceAll(
      /<!-- bench: ([\w-]+) -->.*?<!-- end: \1 -->/gs,
      (_, name: string) => `<!-- bench: ${name} -->\n\n${toBlock(name, results)}\n\n<!-- end: ${name} -->`,
    )
    .replaceAll(
      /<!-- figure: ([\w-]+) -->.*?<!-- \/figure -->/g,
      (_, name: string) => `<!-- figure: ${name} -->${readFigure(name, results)}<!-- /figure -->`,
    );
}

/** Lists the reports that a page shows, whole or in single figures. */
export function reportsOn(page: string): string[] {
  const blocks = [...page.matchAll(/<!-- bench: ([\w-]+) -->/g)].map(([, name = '']) => name);
  const figures = [...page.matchAll(/<!-- figure: ([\w-]+) -->/g)].map(
    ([, name = '']) => FIGURES[name]?.report ?? name,
  );
  return [...new Set([...blocks, ...figures])].filter((name) => name !== 'machine');
}

/** Draws what one call costs. */
export function drawCalls({ reports }: BenchResults): string {
  const [table] = reports['call-overhead']?.tables ?? [];
  const rows = (table?.rows ?? []).map(([name = '', nanoseconds = '']) => ({
    name,
    nanoseconds: Number(nanoseconds.replaceAll(',', '')),
    isOurs: name.startsWith('Pegboard'),
  }));
  return drawChart(rows);
}

function toBlock(name: string, results: BenchResults): string {
  if (name === 'machine') return toMachine(results);
  const report = results.reports[name];
  if (report === undefined) {
    throw new Error(`bench/results.json has no figures of "${name}". Run: npm run bench -- ${name} --write`);
  }
  return [
    ...(report.measured === undefined ? [] : [`Measured apart: ${toStamp(report.measured)}.`]),
    toMarkdown({ name, ...report }),
  ].join('\n\n');
}

function toMachine({ machine, command, ...stamp }: BenchResults): string {
  const peers = Object.entries(machine.peers).map(([name, version]) => `${name} ${version}`);
  return [
    `- ${toStamp(stamp)}, by \`${command}\``,
    `- Node ${machine.node}, ${machine.system}`,
    `- ${machine.processors}`,
    `- ${peers.join(', ')}`,
  ].join('\n');
}

function toStamp({ version, commit, date }: Stamp): string {
  return `pegboard ${version}, commit ${commit}, ${date}`;
}
