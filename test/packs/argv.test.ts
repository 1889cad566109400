// Every tool of every pack: the exact command line for each of its examples, and for the other calls in test/fixtures/packs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { Board, Tool } from '../../src/index.ts';
import { emptyPage } from '../../src/import/command-line/command-page.ts';
import { guessRisk } from '../../src/import/command-line/guess/guess-risk.ts';
import { packUtterances } from '../../src/import/packs/packs.ts';
import { packsPage } from '../../scripts/packs-table.ts';
import { openPack, PACKS } from './open-pack.test-helper.ts';

const NAMES = readdirSync(PACKS)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));
const PROGRAMS = readdirSync(join(PACKS, 'utterances')).map((file) => file.replace('.yaml', ''));
/** Sentences of people, by the command that they need. */
const UTTERANCES = new Map(PROGRAMS.flatMap((program) => [...packUtterances(program)]));
/** Two tools of one command, each with some of what people say when they need it. */
const SHARING: ReadonlySet<string> = new Set(['npm_run', 'npm_scripts']);
const fixture = (name: string): string => join(import.meta.dirname, `../fixtures/packs/${name}.txt`);

/** A word as a person would read it. */
const quote = (word: string): string => (/^[\w@%+=:,./{}<>[\]~^-]+$/.test(word) ? word : JSON.stringify(word));

/** The tools of a pack, without those that the board adds. */
function toolsOf(board: Board, pack: string): readonly Tool[] {
  return board.registry.getAll().filter(({ metadata }) => metadata.source === pack);
}

describe.each(NAMES)('the pack %s', (name) => {
  it('makes exactly these command lines', async () => {
    const { board } = await openPack(name);
    const expected = readFileSync(fixture(name), 'utf8');
    const calls = expected.split('\n').filter((line) => /^\w+ \{/.test(line));
    let made = '';
    for (const call of calls) {
      const [, tool = '', args = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
      const { steps } = await board.dryRun(tool, JSON.parse(args));
      made += `${call}\n`;
      for (const step of steps) {
        if (step.type !== 'command') throw new Error(`${tool} starts no command.`);
        made += `  ${step.argv.map(quote).join(' ')}${step.stdin === undefined ? '' : ' <stdin'}\n`;
      }
    }
    expect(made).toBe(expected);
    const examples = toolsOf(board, name).flatMap(({ metadata }) =>
      (metadata.examples ?? []).map(({ input }) => `${metadata.name} ${JSON.stringify(input)}`),
    );
    expect(examples.filter((example) => !calls.includes(example))).toEqual([]);
  });

  it('has for each tool a risk, an example, a line that says what it does, and nothing that validate complains of', async () => {
    const { board } = await openPack(name);
    const tools = toolsOf(board, name);
    expect(tools.length).toBeGreaterThanOrEqual(6);
    expect(tools.length).toBeLessThanOrEqual(15);
    for (const { metadata } of tools) {
      expect(metadata).toMatchObject({ risk: expect.stringMatching(/^(?:read|write|destructive)$/) });
      expect(metadata.examples?.length).toBeGreaterThan(0);
      expect(metadata.description).toMatch(/^[A-Z][^\n]{8,110}$/);
    }
    expect(board.diagnostics).toEqual([]);
  });

  it('is found by what people say, as an import of the same command is', () => {
    const { tools } = Object(load(readFileSync(join(PACKS, `${name}.yaml`), 'utf8')));
    for (const tool of tools) {
      expect(tool).toMatchObject({ utterances: expect.arrayContaining([expect.any(String)]) });
      const words: string[] = typeof tool.command === 'string' ? tool.command.split(' ') : (tool.command ?? []);
      // The longest command whose words stand there, with options between them. One of a single word says too little.
      const [found] = [...UTTERANCES.keys()]
        .filter((command) => command.includes(' ') && holds(words, command.split(' ')))
        .toSorted((a, b) => b.length - a.length);
      if (found !== undefined && !SHARING.has(tool.name)) {
        expect([tool.name, tool.utterances]).toEqual([tool.name, UTTERANCES.get(found)]);
      }
    }
  });

  it('asks where an import of the same command would', () => {
    const { tools } = Object(load(readFileSync(join(PACKS, `${name}.yaml`), 'utf8')));
    // Of curl and gh api the options decide; npm installs without scripts here.
    const others = /^(?:curl|gh_api$|npm_(?:install|ci)$)/;
    const wrong = tools.filter(
      (tool: { name: string; command?: string | string[]; risk: string; description: string }) => {
        const all = typeof tool.command === 'string' ? tool.command.split(' ') : (tool.command ?? []);
        const command = all.filter((word) => !/^-|[=${}]/.test(word));
        if (command.length < 2 || others.test(tool.name) || tool.risk === 'destructive') return false;
        return guessRisk({ ...emptyPage(command), summary: tool.description })?.risk === 'destructive';
      },
    );
    expect(wrong.map((tool: { name: string }) => tool.name)).toEqual([]);
  });

  it('refuses values that would be flags, in every argument that takes a text', async () => {
    const { board } = await openPack(name);
    let tried = 0;
    const schemas = new Map(board.registry.list().map((tool) => [tool.name, tool.parameters]));
    for (const tool of toolsOf(board, name)) {
      const [example] = tool.metadata.examples ?? [];
      const { properties = {} } = Object(schemas.get(tool.metadata.name));
      for (const [argument, schema] of Object.entries<{ type?: string }>(properties)) {
        const flag = `--${argument}-x=1`;
        const value = { string: flag, array: [flag], object: { [flag]: 'y' } }[schema.type ?? ''];
        if (value === undefined) continue;
        tried++;
        const { steps } = await board
          .dryRun(tool.metadata.name, { ...example?.input, [argument]: value })
          .catch(() => ({ steps: [] }));
        for (const step of steps) {
          if (step.type !== 'command') continue;
          const at = step.argv.findIndex((word) => word.startsWith(flag));
          // Behind -- a word is a value; a tail belongs to another command, whose first word is no flag.
          const isValue = step.argv.slice(0, Math.max(0, at)).includes('--');
          expect({ tool: tool.metadata.name, argument, asFlag: at !== -1 && !isValue }).toMatchObject({
            asFlag: false,
          });
        }
      }
    }
    expect(tried).toBeGreaterThan(3);
  });
});

/** Returns true when words stand in a line in this order. */
function holds(line: readonly string[], words: readonly string[]): boolean {
  let at = -1;
  return words.every((word) => (at = line.indexOf(word, at + 1)) !== -1);
}

it.for(PROGRAMS)('has utterances for commands of %s, each in a few words and once', (program) => {
  const known = packUtterances(program);
  expect(known.size).toBeGreaterThan(0);
  for (const [command, said] of known) {
    expect(command.split(' ')[0]).toBe(program);
    expect([command, [...new Set(said)]]).toEqual([command, said]);
    expect(said).not.toEqual([]);
    for (const utterance of said) expect(utterance).toMatch(/^[A-Za-z][^\n]{8,80}$/);
  }
});

it('has its tables in docs/packs.md', () => {
  const root = join(import.meta.dirname, '../..');
  // Otherwise: npm run docs:index
  expect(readFileSync(join(root, 'docs/packs.md'), 'utf8')).toBe(packsPage(root));
});
