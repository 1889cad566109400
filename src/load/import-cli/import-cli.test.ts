import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../load-file.ts';
import type { Ask } from './ask-command.ts';
import { importCli } from './import-cli.ts';

const PAGES: Readonly<Record<string, string>> = {
  box: 'Usage: box COMMAND\n\nCommands:\n  ls      List boxes\n  rm      Remove a box\n  image   Manage images\n',
  'box ls': `Usage: box ls [OPTIONS] [PATTERN]

Options:
  -a, --all            All of them
  -n, --limit int      At most so many
      --format string  One of: json, table
      --size N         Size with a unit suffix
      --pair K V       Two values
  -h, --help           Help
`,
  'box rm': 'Usage: box rm NAME...\n\nOptions:\n  -f, --force   Without asking\n',
  'box image': 'Usage: box image COMMAND\n\nCommands:\n  pull  Get one\n',
};

/** Answers `--help` from pages. */
function asking(pages: Readonly<Record<string, string>>): Ask {
  return async (argv) => {
    const page = argv.at(-1) === '--help' ? pages[argv.slice(0, -1).join(' ')] : undefined;
    return { stdout: page ?? '', stderr: '', code: page === undefined ? 1 : 0 };
  };
}

describe('importCli', () => {
  it('makes a tool of each subcommand, with guessed types', async () => {
    const { tools, notes } = await importCli(['box'], asking(PAGES));
    expect(tools).toEqual([
      {
        name: 'box_ls',
        type: 'cli',
        description: 'List boxes',
        command: 'box ls',
        risk: 'read',
        tags: ['guessed-read'],
        flags: 'first',
        args: [
          { name: 'pattern', positional: true },
          { name: 'all', description: 'All of them', type: 'boolean' },
          { name: 'limit', description: 'At most so many', type: 'integer' },
          { name: 'format', description: 'One of: json, table', enum: ['json', 'table'] },
          { name: 'size', description: 'Size with a unit suffix' },
          { name: 'pair', description: 'Two values', type: 'object', pair: 'separate' },
        ],
      },
      {
        name: 'box_rm',
        type: 'cli',
        description: 'Remove a box',
        command: 'box rm',
        risk: 'destructive',
        args: [
          { name: 'name', type: 'array', required: true, positional: true },
          { name: 'force', description: 'Without asking', type: 'boolean' },
        ],
      },
      { name: 'box_image_pull', type: 'cli', description: 'Get one', command: 'box image pull' },
    ]);
    expect(notes).toEqual([]);
  });

  it('writes what the loader takes', async () => {
    const { tools } = await importCli(['box'], asking(PAGES));
    const yaml = dump({ name: 'box', tools }, { noRefs: true });
    const { diagnostics, entries } = loadFile(Buffer.from(yaml), 'box.yaml', { env: {} });
    expect(diagnostics).toEqual([]);
    expect(entries.map(({ metadata }) => metadata.name)).toEqual(['box_ls', 'box_rm', 'box_image_pull']);
  });

  it('asks no more subcommands than it may, and tells how far it is', async () => {
    const progress: string[] = [];
    const { tools, notes } = await importCli(['box'], asking(PAGES), {
      limit: 1,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(tools.map(({ name }) => name)).toEqual(['box_ls']);
    expect(notes).toContain(
      'Not asked, for there were too many (--limit) or the time was over (--timeout): box rm, box image.',
    );
    expect(progress.at(-1)).toBe('1/1');
  });

  it('keeps names apart where flags and words share one', async () => {
    const { tools } = await importCli(
      ['find-it'],
      asking({ 'find-it': 'Usage: find-it FILE\n\n  -f, --file=FILE  read from\n  -F            loud\n' }),
    );
    expect(tools[0]?.args).toEqual([
      { name: 'file', required: true, positional: true },
      { name: 'file_2', description: 'read from', flag: '--file' },
      { name: 'F', description: 'loud', type: 'boolean', flag: '-F' },
    ]);
  });
});
