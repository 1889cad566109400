// Writes llms.txt and the index in docs/README.md from the pages' own titles and first sentences: npm run docs:index
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pages under docs/, by what a reader wants. A test fails when one is missing. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'Your first ten minutes': ['start/backend', 'start/devops', 'start/documents', 'start/agents', 'start/platform'],
  'Tools in code': [
    'writing-tools',
    'json-schema',
    'registry',
    'calling-tools',
    'errors',
    'hooks',
    'testing-tools',
    'plugins',
    'features',
    'testing-extensions',
  ],
  'A board of files': [
    'board',
    'config',
    'commands',
    'requests',
    'http-auth',
    'packs',
    'imported-commands',
    'command-line',
    'policy',
    'approvals',
    'mcp-servers',
    'prompts-and-resources',
    'skills',
    'apps',
    'lock',
    'knowledge',
    'knowledge-stores',
    'store',
    'record',
    'audit',
    'telemetry',
    'inspector',
  ],
  'Tools for models and clients': [
    'serve',
    'one-board',
    'serve-http',
    'shared-limits',
    'http-api',
    'limits',
    'user-logins',
    'publish',
    'deploy',
    'exporting',
    'writing-exporters',
    'frameworks',
    'interop',
    'prompts',
    'discovery',
    'agents-find-tools',
    'code-mode',
    'evaluate',
    'enrich',
    'agents',
    'runs',
    'jobs',
    'testing-agents',
  ],
  Figures: ['benchmarks', 'discovery-figures', 'knowledge-figures', 'store-figures', 'code-mode-figures'],
  'Coming from another system': [
    'coming-from/atlas',
    'coming-from/agentforge',
    'coming-from/climax',
    'coming-from/ctx',
    'coming-from/miniclaw',
  ],
};

/** Sections that an agent with little room may leave out, as llmstxt.org calls them. */
const OPTIONAL = new Set(['Figures', 'Coming from another system']);

/** Parts of a page that are not prose: comments, code, tables, pictures, headings. */
const NO_PROSE = /<!--[^]*?-->|^```[^]*?^```$|^\|.*$|^!\[.*$|^#.*$/gm;

/** The title of a page, and the first sentence of its text. */
function readPage(root: string, page: string): { readonly title: string; readonly summary: string } {
  const text = readFileSync(join(root, page), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1];
  const [paragraph = ''] = text
    .replaceAll(NO_PROSE, '')
    .trim()
    .split(/\n\s*\n/);
  const plain = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const summary = /^.+?\.(?= |$)/.exec(plain)?.[0];
  if (title === undefined || summary === undefined) {
    throw new Error(`${page} needs a title ("# …") and a first sentence that says what it is about.`);
  }
  return { title, summary };
}

/** A list with a line for each page: title, link, first sentence. */
function listPages(root: string, pages: readonly string[]): string {
  return pages
    .map((page) => {
      const { title, summary } = readPage(root, `docs/${page}.md`);
      return `- [${title}](${page}.md): ${summary}\n`;
    })
    .join('');
}

function listDecisions(root: string): string {
  return globSync('docs/adr/*.md', { cwd: root })
    .toSorted()
    .map((page) => `- [${readPage(root, page).title}](${page.slice('docs/'.length)})\n`)
    .join('');
}

/** The generated files, by name, as they should be. */
export function docsIndex(root: string): Readonly<Record<string, string>> {
  const listed = new Set([
    'README.md',
    ...Object.values(SECTIONS).flatMap((pages) => pages.map((page) => `${page}.md`)),
  ]);
  const missing = globSync(['*.md', '{start,coming-from}/*.md'], { cwd: join(root, 'docs') }).find(
    (page) => !listed.has(page),
  );
  if (missing !== undefined)
    throw new Error(`docs/${missing} is in no section. Add it to SECTIONS in scripts/docs-index.ts.`);
  const chapters = Object.entries(SECTIONS).map(([heading, pages]) => `## ${heading}\n\n${listPages(root, pages)}`);
  const index = [...chapters, `## Why it is built so\n\n${listDecisions(root)}`].join('\n');
  const page = readFileSync(join(root, 'docs/README.md'), 'utf8');
  return {
    'docs/README.md': page.replace(/(?<=<!-- index -->\n\n)[^]*?(?=\n<!-- \/index -->)/, () => index),
    'llms.txt': writeForModels(root, index.replaceAll('](', '](docs/')),
  };
}

/** The index for models: https://llmstxt.org */
function writeForModels(root: string, index: string): string {
  const { title, summary } = readPage(root, 'README.md');
  const sections = index.split(/^(?=## )/m);
  const isOptional = (section: string): boolean =>
    section.startsWith('## Why') || OPTIONAL.has(/^## (.*)/.exec(section)?.[1] ?? '');
  const optional = sections.filter(isOptional).map((section) => section.replace(/^.*\n\n/, '').trimEnd());
  return [
    `# ${title}`,
    `> ${summary}`,
    'Links are relative to this file, also in the installed package: `node_modules/pegboard/`. `npx pegboard docs PAGE` prints a page.',
    ...sections.filter((section) => !isOptional(section)).map((section) => section.trimEnd()),
    `## Optional\n\n${optional.join('\n')}\n`,
  ].join('\n\n');
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  for (const [file, text] of Object.entries(docsIndex(root))) writeFileSync(join(root, file), text);
}
