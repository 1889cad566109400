// Figures on pages are those of bench/results.json, and those are of the version that ships.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHART, drawCalls, fillPage, PAGES, reportsOn } from '../bench/fill-pages.ts';
import { FIGURES } from '../bench/figures.ts';
import { type BenchResults, type BenchRun, mergeResults, readResults } from '../bench/results.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

function readStored(): BenchResults {
  const results = readResults(root);
  if (results === undefined) throw new Error('bench/results.json is missing. Run: npm run bench -- --write');
  return results;
}
const results = readStored();

/** The part of a page under a heading, up to the next one of the same depth. */
function sectionOf(page: string, anchor: string): string {
  const lines = page.split('\n');
  const toAnchor = (heading: string): string => heading.toLowerCase().trim().replaceAll(/\s+/g, '-');
  const start = lines.findIndex((line) => /^#+ /.test(line) && toAnchor(line.replace(/^#+ /, '')) === anchor);
  expect(start, `a heading for #${anchor}`).toBeGreaterThanOrEqual(0);
  const depth = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const length = lines.slice(start + 1).findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= depth);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

describe('figures', () => {
  it.each(PAGES)('on %s are those of bench/results.json', (page) => {
    expect(read(page)).toBe(fillPage(read(page), results));
  });

  it('in the chart are those of bench/results.json', () => {
    expect(read(CHART)).toBe(drawCalls(results));
  });

  it('on README and docs/benchmarks.md were measured with the version that package.json names', () => {
    const { version } = JSON.parse(read('package.json'));
    const shown = ['README.md', 'docs/benchmarks.md'].flatMap((page) => reportsOn(read(page)));
    const versions = shown.map((name) => [name, results.reports[name]?.measured?.version ?? results.version]);
    expect(shown).toContain('discovery');
    expect(versions).toEqual(shown.map((name) => [name, version]));
    expect(results.version).toBe(version);
  });

  it('in README stand in rows that link to the section that measured them', () => {
    const table = /\| Measured \|[^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/.exec(read('README.md'))?.[1] ?? '';
    let link = '';
    const rows = table.trim().split('\n');
    for (const row of rows) {
      link = /\]\(([^)]+)\)/.exec(row)?.[1] ?? link;
      const [file = '', anchor = ''] = link.split('#');
      expect({ link, reports: reportsOn(sectionOf(read(file), anchor)) }).toEqual({ link, reports: reportsOn(row) });
    }
    expect(rows.length).toBeGreaterThan(5);
  });

  it('that stand alone are all used', () => {
    const pages = PAGES.map(read).join('');
    expect(Object.keys(FIGURES).filter((name) => !pages.includes(`<!-- figure: ${name} -->`))).toEqual([]);
  });
});

describe('a run of the benchmarks', () => {
  const table = { caption: 'Calls:', head: ['Way', 'ns'], rows: [['registry.call', '500']] };
  const run = { command: 'npm run bench -- --write', machine: results.machine };
  const first: BenchRun = {
    ...run,
    version: '1.0.0',
    commit: 'aaa',
    date: '2026-01-01',
    isWhole: true,
    reports: [
      { name: 'calls', tables: [table], bars: [] },
      { name: 'rag', tables: [table], bars: [] },
    ],
  };
  const second: BenchRun = {
    ...first,
    version: '2.0.0',
    commit: 'bbb',
    date: '2026-02-02',
    reports: [{ name: 'calls', tables: [], bars: [] }],
  };
  const before = mergeResults(undefined, first);

  it('of all gives the file its version, and figures it did not measure keep theirs', () => {
    const after = mergeResults(before, second);
    expect(after).toMatchObject({ version: '2.0.0', commit: 'bbb' });
    expect(after.reports).toEqual({
      calls: { tables: [], bars: [] },
      rag: { tables: [table], bars: [], measured: { version: '1.0.0', commit: 'aaa', date: '2026-01-01' } },
    });
  });

  it('of some stamps only these', () => {
    const after = mergeResults(before, { ...second, isWhole: false });
    expect(after).toMatchObject({ version: '1.0.0', commit: 'aaa' });
    expect(after.reports).toEqual({
      calls: { tables: [], bars: [], measured: { version: '2.0.0', commit: 'bbb', date: '2026-02-02' } },
      rag: { tables: [table], bars: [] },
    });
  });
});
