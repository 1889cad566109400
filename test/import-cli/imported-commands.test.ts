// docs/imported-commands.md shows command lines that tests hold, and no others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS, readProofs, showProof } from '../../scripts/imports-table.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/imported-commands.md'), 'utf8');
const commands = Object.keys(COMMANDS);

it('has a row for each command', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \| \d[\d.]* \| (?:\d+ \| ){5}/gm)].map(([, command]) => command);
  expect(rows, 'Run: npm run docs:imports').toEqual(commands);
});

it('shows only command lines that the tests of the command hold', () => {
  const shown = page.slice(page.indexOf('<!-- lines -->')).match(/^\| `.*\|$/gm) ?? [];
  const held = new Set(commands.flatMap((command) => readProofs(root, command)).map(showProof));
  expect(shown.length).toBeGreaterThan(100);
  expect(
    shown.filter((line) => !held.has(line)),
    'Run: npm run docs:imports',
  ).toEqual([]);
});
