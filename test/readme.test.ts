import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const NUMBER = /\d[\d,]*(?:\.\d+)?/g;

/** The part of a page under a heading, up to the next one of the same depth. */
function sectionOf(page: string, anchor: string): string {
  const lines = page.split('\n');
  const toAnchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s+/g, '-');
  const start = lines.findIndex((line) => /^#+ /.test(line) && toAnchor(line.replace(/^#+ /, '')) === anchor);
  expect(start, `a heading for #${anchor}`).toBeGreaterThanOrEqual(0);
  const depth = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const length = lines.slice(start + 1).findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= depth);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** The rows of the table of figures: the page that measured them, and the figures shown. */
function rowsOfFigures(): { readonly link: string; readonly figures: readonly string[] }[] {
  const table = /\| Measured \|[^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/.exec(read('README.md'))?.[1] ?? '';
  let link = '';
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const [, name = '', ...cells] = row.split('|');
      link = /\]\(([^)]+)\)/.exec(name)?.[1] ?? link;
      return { link, figures: cells.join(' ').match(NUMBER) ?? [] };
    });
}

it.each(rowsOfFigures())('shows figures that $link measured', ({ link, figures }) => {
  const [file = '', anchor = ''] = link.split('#');
  const section = sectionOf(read(file), anchor);
  const measured = (section.match(NUMBER) ?? []).map((text) => Number(text.replaceAll(',', '')));
  const isThere = (figure: string): boolean => {
    const decimals = figure.split('.')[1]?.length ?? 0;
    const wanted = figure.replaceAll(',', '');
    // Pages may say in nanoseconds what is said in microseconds here.
    return measured.some((number) => [number, number / 1_000].some((value) => value.toFixed(decimals) === wanted));
  };
  expect(figures.length).toBeGreaterThan(1);
  expect(figures.filter((figure) => !isThere(figure))).toEqual([]);
});
