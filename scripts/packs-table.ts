// Writes the tables of docs/packs.md from the packs themselves: npm run docs:index
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadFile } from '../src/load/load-file.ts';

/** The page of the packs as it should be. */
export function packsPage(root: string): string {
  const tables = readdirSync(join(root, 'packs'))
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) => {
      const { name, description, entries } = loadFile(readFileSync(join(root, 'packs', file)), file, { env: {} });
      const rows = entries.map(
        ({ metadata }) =>
          `| \`${metadata.name}\` | ${metadata.risk} | ${metadata.description.replaceAll('|', '\\|')} |\n`,
      );
      return `### ${name}\n\n${description}.\n\n| Tool | Risk | |\n|---|---|---|\n${rows.join('')}`;
    });
  const page = readFileSync(join(root, 'docs/packs.md'), 'utf8');
  return page.replace(/(?<=<!-- packs -->\n\n)[^]*?(?=\n<!-- \/packs -->)/, () => tables.join('\n'));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  writeFileSync(join(root, 'docs/packs.md'), packsPage(root));
}
