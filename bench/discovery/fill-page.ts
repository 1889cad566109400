import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/discovery.md', import.meta.url));
const START = '<!-- bench: discovery -->';
const END = '<!-- end: discovery -->';

/** Puts the figures into docs/discovery.md, between their markers. */
export function fillPage(figures: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`docs/discovery.md has no lines ${START} and ${END}. Add them.`);
  writeFileSync(PAGE, `${page.slice(0, from)}${START}\n\n${figures}\n\n${page.slice(to)}`);
}
