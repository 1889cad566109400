import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../../load/load-file.ts';
import type { Ask } from './ask-command.ts';
import { type CliImport, importCli as importTools, type ImportCliOptions } from './import-cli.ts';
import { lineBuilder } from '../../kinds/cli/line-builder.ts';

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

const SILENT = 'Not certain, of box_image_pull: its arguments, because only a list of subcommands mentions it.';

/** Answers `--help` from pages. */
function asking(pages: Readonly<Record<string, string>>): Ask {
  return async (argv) => {
    const page = argv.at(-1) === '--help' ? pages[argv.slice(0, -1).join(' ')] : undefined;
    return { stdout: page ?? '', stderr: '', code: page === undefined ? 1 : 0 };
  };
}

const importCli = (command: readonly string[], ask: Ask, options: ImportCliOptions = {}): Promise<CliImport> =>
  importTools(command, ask, { buildLine: lineBuilder, ...options });

describe('importCli', () => {
  it('gives no subcommand the name of a tool of the board', async () => {
    const pages = {
      call: 'Usage: call COMMAND\n\nCommands:\n  tool  Call one\n',
      'call tool': 'Usage: call tool NAME\n',
    };
    const { tools } = await importCli(['call'], asking(pages));
    expect(tools.map(({ name }) => name)).toEqual([expect.stringMatching(/^call_tool_[0-9a-f]{8}$/)]);
  });

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
          { name: 'all', description: '(-a) All of them', type: 'boolean' },
          { name: 'limit', description: '(-n) At most so many', type: 'integer' },
          { name: 'format', description: 'One of: json, table', enum: ['json', 'table'] },
          { name: 'size', description: 'Size with a unit suffix', path: true },
          { name: 'pair', description: 'Two values', type: 'object', pair: 'separate', path: true },
        ],
      },
      {
        name: 'box_rm',
        type: 'cli',
        description: 'Remove a box',
        command: 'box rm',
        risk: 'destructive',
        args: [
          { name: 'name', type: 'array', required: true, positional: true, path: true },
          { name: 'force', description: '(-f) Without asking', type: 'boolean' },
        ],
      },
      {
        name: 'box_image_pull',
        type: 'cli',
        description: 'Get one',
        command: 'box image pull',
        timeout: '15m',
        paths: [],
      },
    ]);
    expect(notes).toEqual([SILENT]);
  });

  it('writes files that the loader accepts', async () => {
    const { tools } = await importCli(['box'], asking(PAGES));
    const yaml = dump({ name: 'box', tools }, { noRefs: true });
    const { diagnostics, entries } = loadFile(Buffer.from(yaml), 'box.yaml', { env: {} });
    expect(diagnostics).toEqual([]);
    expect(entries.map(({ metadata }) => metadata.name)).toEqual(['box_ls', 'box_rm', 'box_image_pull']);
  });

  it('reads no more subcommands than allowed, and reports progress', async () => {
    const progress: string[] = [];
    const { tools, notes } = await importCli(['box'], asking(PAGES), {
      limit: 1,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(tools.map(({ name }) => name)).toEqual(['box_ls']);
    expect(notes).toContain(
      'Not read, because there were too many (--limit) or time ran out (--timeout): box rm, box image.',
    );
    expect(progress.at(-1)).toBe('1/1');
  });

  it('distinguishes flags and positionals with the same name', async () => {
    const { tools } = await importCli(
      ['find-it'],
      asking({ 'find-it': 'Usage: find-it FILE\n\n  -f, --file=FILE  read from\n  -F            loud\n' }),
    );
    expect(tools[0]?.args).toEqual([
      { name: 'file', required: true, positional: true, path: true },
      { name: 'file_option', description: '(-f) read from', flag: '--file', path: true },
      { name: 'F', description: 'loud', type: 'boolean', flag: '-F' },
    ]);
  });

  it('passes variables for identity and connection on one page to all subcommands', async () => {
    const page = (name: string, about: string): string => `Usage: box ${name} [OPTIONS]\n\nOptions:\n  ${about}\n`;
    const { tools } = await importCli(
      ['box'],
      asking({
        box: 'Usage: box COMMAND\n\nCommands:\n  ls      List boxes\n  rm      Remove a box\n',
        'box ls': page('ls', '--as NAME   As whom [env: BOX_USER]\n  --wide      More [env: BOX_WIDE]'),
        'box rm': page('rm', '--key KEY   The login [env: BOX_TOKEN]\n  --trace     Tell all [env: BOX_TRACE_TOKEN]'),
      }),
    );
    expect(tools.map(({ name, env_pass: names }) => [name, names])).toEqual([
      ['box_ls', ['BOX_TOKEN', 'BOX_USER', 'BOX_WIDE']],
      ['box_rm', ['BOX_TOKEN', 'BOX_USER']],
    ]);
  });

  it('creates no tool for a command whose only usage is that of its subcommand', async () => {
    const pages = {
      box: 'Usage: box COMMAND\n\nCommands:\n  hook   Run hooks\n  seal   Seal a box\n',
      'box hook': 'usage: box hook run [--quiet] <hook-name>\n\nCommands:\n  run   Run a hook\n',
      'box hook run': 'usage: box hook run [--quiet] <hook-name>\n\n    --quiet   say less\n',
      // Has subcommands, and also works without them.
      'box seal': 'usage: box seal <box>\n\nCommands:\n  break   Break a seal\n',
      'box seal break': 'usage: box seal break <box>\n',
    };
    const { tools } = await importCli(['box'], asking(pages));
    expect(tools.map(({ name, args = [] }) => [name, ...args.map((arg) => arg.name)])).toEqual([
      ['box_hook_run', 'hook_name', 'quiet'],
      ['box_seal', 'box'],
      ['box_seal_break', 'box'],
    ]);
  });

  it('treats a database as a path only if a script mentions a file', async () => {
    const argsOf = async (purpose: string): Promise<unknown> => {
      const pages = { './db.sh': `Usage: db.sh [-o DIR] <database>...\n${purpose}\n\n  -o DIR   where to\n` };
      const { tools } = await importCli(['./db.sh'], asking(pages), { isScript: true });
      return tools[0]?.args?.map(({ name, path }) => [name, path]);
    };
    expect(await argsOf('Backs up databases.')).toEqual([
      ['database', undefined],
      ['o', true],
    ]);
    expect(await argsOf('Backs up databases of SQLite.')).toEqual([
      ['database', true],
      ['o', true],
    ]);
  });

  it('uses known user requests, under any name of a command', async () => {
    const pages = { ...PAGES, 'box ls': `${PAGES['box ls']}\nAliases:\n  box ls, box list\n` };
    const utterances = new Map([
      ['box ls', ['which boxes are there']],
      ['box list', ['what do I have', 'which boxes are there']],
      ['box', ['nothing']],
    ]);
    const { tools } = await importCli(['box'], asking(pages), { utterances });
    expect(tools.map((tool) => [tool.name, tool.utterances])).toEqual([
      ['box_ls', ['which boxes are there', 'what do I have']],
      ['box_rm', undefined],
      ['box_image_pull', undefined],
    ]);
  });

  it('joins the flags that include and exclude files into an ordered list', async () => {
    const help = `Usage: send [OPTIONS] FILE

Examples:
  send --exclude '*' --include '*.txt' --quiet --exclude b.txt a

Options:
  --include PATTERN      Take these
  --exclude PATTERN      Do not take these
  --exclude-from FILE    Read patterns from a file
  --quiet                Say nothing
`;
    const { tools } = await importCli(['send'], asking({ send: help }));
    expect(tools[0]?.args).toEqual([
      { name: 'file', description: 'Such as a', required: true, positional: true, path: true },
      {
        name: 'filters',
        description: 'The files to include, in order: [{"exclude": "*"}, {"include": "*.txt"}]',
        type: 'array',
        sequence: [
          { name: 'include', description: 'Take these', style: 'separate' },
          { name: 'exclude', description: 'Do not take these', style: 'separate' },
          { name: 'exclude_from', description: 'Read patterns from a file', style: 'separate', path: true },
        ],
      },
      { name: 'quiet', description: 'Say nothing', type: 'boolean' },
    ]);
    expect(tools[0]?.examples).toMatchObject([
      { input: { filters: [{ exclude: '*' }, { include: '*.txt' }, { exclude: 'b.txt' }], quiet: true, file: 'a' } },
    ]);
    const yaml = dump({ name: 'send', tools }, { noRefs: true });
    expect(loadFile(Buffer.from(yaml), 'send.yaml', { env: {} }).diagnostics).toEqual([]);
    // Each keeps the risk that was guessed for it.
    const run = help.replace(
      '--exclude-from FILE    Read patterns from a file',
      '--filter COMMAND  Take what this command prints',
    );
    const risky = await importCli(['send'], asking({ send: run }));
    expect(risky.tools[0]?.args?.[1]?.sequence?.map(({ name, risk }) => [name, risk])).toEqual([
      ['include', undefined],
      ['exclude', undefined],
      ['filter', 'destructive'],
    ]);
    expect([...(risky.argumentGuesses.get('send') ?? [])]).toEqual([['filters.filter', 'COMMAND']]);
    // Without its opposite there is no order to keep.
    const alone = await importCli(['send'], asking({ send: help.replace(/.*--include P.*\n/, '') }));
    expect(alone.tools[0]?.args?.map(({ name }) => name)).toEqual(['file', 'exclude', 'exclude_from', 'quiet']);
  });

  it('reports a subcommand that does not answer, and stops when time runs out', async () => {
    const ask = asking(PAGES);
    const { tools, notes } = await importCli(['box'], async (argv) => {
      if (argv[1] === 'rm') throw new Error('no such file');
      return ask(argv);
    });
    expect(tools.map(({ name }) => name)).toEqual(['box_ls', 'box_image_pull']);
    expect(notes).toEqual(['Did not answer: box rm (no such file).', SILENT]);
    let now = 0;
    const late = await importCli(['box'], ask, { parallel: 1, timeLimit: 15, now: () => (now += 10) });
    expect(late.tools.map(({ name }) => name)).toEqual(['box_ls']);
  });

  it('reads several pages at once, within the limit', async () => {
    const ask = asking({
      many: `Usage: many COMMAND\n\nCommands:\n${'abcdefghij'
        .split('')
        .map((name) => `  ${name}x    Does ${name}`)
        .join('\n')}\n`,
    });
    let [running, most] = [0, 0];
    await importCli(
      ['many'],
      async (argv) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return ask(argv);
      },
      { parallel: 3 },
    );
    expect(most).toBe(3);
  });

  it('rejects an unknown subcommand, even if the program prints its own page', async () => {
    const ask: Ask = async () => ({ stdout: PAGES['box'] ?? '', stderr: '', code: 0 });
    await expect(importCli(['box', 'lst'], ask)).rejects.toThrow('box has no subcommand "lst". It has: ls, rm, image.');
  });

  it('never runs an alias of git, which anything but --help would start', async () => {
    const asked: string[] = [];
    const ask: Ask = async (argv) => {
      asked.push(argv.join(' '));
      const stdout = argv[1] === 'wipe' ? "'wipe' is aliased to '!rm -r .'\n" : (PAGES['box'] ?? '');
      return { stdout, stderr: '', code: 0 };
    };
    await expect(importCli(['git', 'wipe'], ask)).rejects.toThrow(
      "'wipe' is aliased to '!rm -r .'. Import the command that it stands for.",
    );
    expect(asked).toEqual(['git --help', 'git wipe --help']);
  });

  it('uses -h only for a subcommand that rejects --help', async () => {
    const asked: string[] = [];
    const refusing =
      (code: number): Ask =>
      async (argv) => {
        asked.push(argv.join(' '));
        const stdout = argv.length === 2 ? (PAGES['box'] ?? '') : '';
        return { stdout, stderr: '', code };
      };
    await importCli(['box'], refusing(0), { only: ['rm'] });
    expect(asked).not.toContain('box rm -h');
    await importCli(['box'], refusing(2), { only: ['rm'] });
    expect(asked).toContain('box rm -h');
  });

  it('makes one tool of a command with two names', async () => {
    const page = (name: string): string => `Usage: box ${name}\n\nList\n\nAliases:\n  box item ls, box ls\n`;
    const { tools, notes } = await importCli(
      ['box'],
      asking({
        box: 'Usage: box COMMAND\n\nCommands:\n  ls      List\n  item    Items\n',
        'box ls': page('ls'),
        'box item': 'Usage: box item COMMAND\n\nCommands:\n  ls    List\n',
        'box item ls': page('item ls'),
      }),
    );
    expect(tools.map(({ name }) => name)).toEqual(['box_ls']);
    expect(notes).toEqual(['One tool for several names of a command: box item ls = box ls.']);
  });

  it('gives each tool the global options that calls need, before the subcommand, and others that are named', async () => {
    const ask = asking({
      box: `Usage: box [OPTIONS] COMMAND

Commands:
  ls      List

Options:
      --context string   Where
      --debug            Say more
      --config string    Settings
      --tls              Encrypt
`,
      'box ls': 'Usage: box ls [OPTIONS]\n\nOptions:\n  -a, --all   All\n',
    });
    const names = async (globals?: string[]): Promise<string[]> => {
      const { tools } = await importCli(['box'], ask, { globals });
      return (tools[0]?.args ?? []).map(({ name, global }) => (global === true ? `global ${name}` : name));
    };
    expect(await names()).toEqual(['all', 'global context']);
    expect(await names(['debug'])).toEqual(['all', 'global context', 'global debug']);
    expect(await names(['none'])).toEqual(['all']);
    expect(await names(['all'])).toHaveLength(5);
    expect((await importCli(['box'], ask)).notes).toEqual([
      'Options of box for all subcommands that the tools omit: --debug, --config, --tls. To include one: pegboard import cli box --global debug',
    ]);
  });

  it('keeps examples that the tool reproduces, learns from them, and drops the others', async () => {
    const { tools } = await importCli(
      ['box'],
      asking({
        box: `Usage: box NAME [options]

Examples:
  # One of them
  box red -o wide
  # Both sizes
  box blue --size=1 --size=2
  # From a file, without a name
  box -f box.yaml
  # Through a pipe
  cat x | box -
  box red | head
  # With an option that is not there
  box red --unknown
  # A placeholder
  box NAME

Options:
  -f, --file string     A file
  -o, --output string   One of: json|wide
      --size int        How large
`,
      }),
    );
    expect(tools[0]?.args).toMatchObject([
      { name: 'name', positional: true },
      { name: 'file' },
      { name: 'output', enum: ['json', 'wide'] },
      { name: 'size', type: 'array', items: 'integer' },
    ]);
    expect(tools[0]?.args?.[0]).not.toHaveProperty('required');
    expect(tools[0]?.examples).toEqual([
      { description: 'One of them', input: { name: 'red', output: 'wide' } },
      { description: 'Both sizes', input: { name: 'blue', size: [1, 2] } },
      { description: 'From a file, without a name', input: { file: 'box.yaml' } },
    ]);
  });

  it('gives subcommands the examples that the page above them shows', async () => {
    const { tools, shownExamples } = await importCli(
      ['box'],
      asking({
        box: 'Usage: box COMMAND\n\nCommands:\n  pack   Pack it\n  send   Send it\n\nExamples:\n  # tell all that lunch is ready\n  box send lunch\n',
        'box pack': 'Usage: box pack NAME\n\nPack it.\n',
        'box send': 'Usage: box send NAME\n\nSend it.\n',
      }),
    );
    expect(tools.map(({ name, examples }) => [name, examples])).toEqual([
      ['box_pack', undefined],
      ['box_send', [{ description: 'tell all that lunch is ready', input: { name: 'lunch' } }]],
    ]);
    expect(shownExamples).toBe(1);
  });
});
