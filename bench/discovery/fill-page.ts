import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/discovery-figures.md', import.meta.url));

/** Puts the figures of a benchmark into docs/discovery-figures.md, between its markers. */
export function fillPage(figures: string, name = 'discovery'): void {
  const [start, end] = [`<!-- bench: ${name} -->`, `<!-- end: ${name} -->`];
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from)
    throw new Error(`docs/discovery-figures.md has no lines ${start} and ${end}. Add them.`);
  writeFileSync(PAGE, `${page.slice(0, from)}${start}\n\n${figures}\n\n${page.slice(to)}`);
}
