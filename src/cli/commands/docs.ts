import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '../../tool/tool-error.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { defineCommand } from '../shared/command.ts';
import { findOwnPackage } from '../../platform/own-package.ts';

export const docs = defineCommand({
  name: 'docs',
  description: 'Prints a page of the documentation of this version, or the list of pages, as Markdown.',
  arguments: [{ name: 'PAGE', description: 'A page, such as serve-http (default: lists all pages)' }],
  options: {},
  examples: [
    ['pegboard docs', 'list all pages'],
    ['pegboard docs serve-http', 'one page'],
    ['pegboard docs devops', 'the first ten minutes with command lines'],
  ],
  async run({ positionals: [page] }) {
    const { folder } = findOwnPackage();
    const index = readFileSync(join(folder, 'llms.txt'), 'utf8');
    const pages = [...index.matchAll(/^- \[(.+)\]\(docs\/(\S+)\.md\)(?:: (.*))?$/gm)].map(
      ([, title = '', name = '', summary]) => ({ name, title, summary }),
    );
    if (page === undefined) return { data: pages, view: { text: index } };
    const wanted = page.replace(/^docs\//, '').replace(/\.md$/, '');
    const names = pages.map(({ name }) => name);
    // Only pages in the index: a name must not lead to other files.
    const found = pages.find(({ name }) => name === wanted) ?? pages.find(({ name }) => name.endsWith(`/${wanted}`));
    if (found === undefined) throw unknownPage(page, names);
    const text = readFileSync(join(folder, 'docs', `${found.name}.md`), 'utf8');
    return { data: { ...found, text }, view: { text } };
  },
});

function unknownPage(page: string, names: readonly string[]): ToolError {
  const near = nearestNames(page, names, 3);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(', ')}?`;
  return new ToolError({
    code: 'not_found',
    message: `There is no page "${page}".${hint} List all pages with: pegboard docs`,
  });
}
