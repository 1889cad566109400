import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../load-file.ts';
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

const readHelp = async (command: readonly string[]): Promise<string> => PAGES[command.join(' ')] ?? '';

describe('importCli', () => {
  it('makes a tool of each subcommand, with guessed types', async () => {
    const { tools, notes } = await importCli(['box'], readHelp);
    expect(tools).toEqual([
      {
        name: 'box_ls',
        type: 'cli',
        description: 'List boxes',
        command: 'box ls',
        args: [
          { name: 'pattern', positional: true },
          { name: 'all', description: 'All of them', type: 'boolean' },
          { name: 'limit', description: 'At most so many', type: 'integer', style: 'separate' },
          { name: 'format', description: 'One of: json, table', enum: ['json', 'table'], style: 'separate' },
          { name: 'size', description: 'Size with a unit suffix', style: 'separate' },
        ],
      },
      {
        name: 'box_rm',
        type: 'cli',
        description: 'Remove a box',
        command: 'box rm',
        risk: 'destructive',
        args: [
          { name: 'name', required: true, positional: true },
          { name: 'force', description: 'Without asking', type: 'boolean' },
        ],
      },
    ]);
    expect(notes).toEqual([
      'Left out, for they take several values: box_ls --pair.',
      'Take one value where the command takes several: box_rm name.',
      'Have commands of their own: box image. Import them as: pegboard import cli box image',
    ]);
  });

  it('writes what the loader takes', async () => {
    const { tools } = await importCli(['box'], readHelp);
    const yaml = dump({ name: 'box', tools }, { noRefs: true });
    const { diagnostics, entries } = loadFile(Buffer.from(yaml), 'box.yaml', { env: {} });
    expect(diagnostics).toEqual([]);
    expect(entries.map(({ metadata }) => metadata.name)).toEqual(['box_ls', 'box_rm']);
  });

  it('asks no more subcommands than it may, and tells how far it is', async () => {
    const progress: string[] = [];
    const { tools, notes } = await importCli(['box'], readHelp, {
      limit: 1,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(tools.map(({ name }) => name)).toEqual(['box_ls']);
    expect(notes).toContain('2 further commands were not asked.');
    expect(progress).toEqual(['1/1']);
  });

  it('keeps names apart where flags and words share one', async () => {
    const { tools } = await importCli(
      ['find-it'],
      async () => 'Usage: find-it FILE\n\n  -f, --file=FILE  read from\n  -F            loud\n',
    );
    expect(tools[0]?.args).toEqual([
      { name: 'file', required: true, positional: true },
      { name: 'file_2', description: 'read from', flag: '--file' },
      { name: 'F', description: 'loud', type: 'boolean', flag: '-F' },
    ]);
  });
});
