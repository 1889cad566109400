// Help texts in the styles of well-known programs, shortened and reworded.
import { describe, expect, it } from 'vitest';
import { parseHelp } from './parse-help.ts';

/** Summarizes options: flags, the value with `?` when optional and `=` when joined, choices. */
function brief(text: string, command = ['tool']): string[] {
  return parseHelp(text, command).options.map(({ flags, value, isCompound }) => {
    const choices = value === undefined || value.choices.length === 0 ? '' : ` {${value.choices.join(',')}}`;
    const shown = value === undefined ? '' : ` ${value.isJoined ? '=' : ''}${value.name}${value.isOptional ? '?' : ''}`;
    return `${flags.join(' ')}${shown}${choices}${isCompound ? ' (several)' : ''}`;
  });
}

describe('parseHelp', () => {
  it('reads the style of GNU tools', () => {
    const text = `Usage: pack [OPTION...] [FILE]...
Saves many files together in one archive.

Examples:
  pack -cf all.pack one two  # makes all.pack

 Main operation:
  -A, --join, --concatenate  append to an archive
      --level=NUMBER         how deep to go
      --occurrence[=NUMBER]  only the NUMBERth one; valid
                             --sparse files included
      --a-very-long-option-that-overflows=FILE
                             read names from
                             FILE
      --exclude-under-this-one leave out everything below such folders
  -c                         sort by time;

  -h, --human                sizes like 1K
      --help                 show this and exit
`;
    const page = parseHelp(text, ['pack']);
    expect(page.summary).toBe('Saves many files together in one archive.');
    expect(page.positionals).toMatchObject([{ name: 'FILE', isRequired: false, isRepeated: true }]);
    expect(brief(text)).toEqual([
      '--join --concatenate -A',
      '--level =NUMBER',
      '--occurrence =NUMBER?',
      '--a-very-long-option-that-overflows =FILE',
      '--exclude-under-this-one',
      '-c',
      '--human -h',
      '--help',
    ]);
    expect(page.options.map(({ description }) => description)).toContain(
      'only the NUMBERth one; valid --sparse files included',
    );
    expect(page.options.map(({ description }) => description)).toContain('leave out everything below such folders');
  });

  it('reads the style of git, with groups of commands', () => {
    const text = `usage: vcs [-v | --version] [-C <path>] [--git-dir=<path>]
           <command> [<args>]

These are common commands used in various situations:

start a working area (see also: vcs help tutorial)
   clone     Copy a repository
   init      Make an empty one

examine the history
   log       Show the log

'vcs help -a' lists more.
`;
    expect(parseHelp(text, ['vcs']).commands).toEqual([
      { name: 'clone', description: 'Copy a repository', group: 'start a working area', isCommon: true },
      { name: 'init', description: 'Make an empty one', group: 'start a working area', isCommon: true },
      { name: 'log', description: 'Show the log', group: 'examine the history', isCommon: true },
    ]);
  });

  it('reads the short help of a git command', () => {
    const text = `usage: vcs push [<options>] [<repository> [<refspec>...]]
   or: vcs push --all

    -v, --[no-]verbose    say more
    --repo <repository>   where to
    -S, --sign[=<key-id>]
                          sign it
    -u<mode>              how
`;
    expect(brief(text, ['vcs', 'push'])).toEqual([
      '--verbose -v',
      '--repo repository',
      '--sign -S =key-id?',
      '-u =mode',
      '--all',
    ]);
    expect(parseHelp(text, ['vcs', 'push']).positionals.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['repository', false],
      ['refspec', false],
    ]);
  });

  it('reads the style of curl', () => {
    const text = `Usage: fetch [options...] <url>
 -d, --data <data>          Send this
 -u, --user <user:password> Who asks
 -v, --verbose              Say more
`;
    expect(brief(text)).toEqual(['--data -d data', '--user -u user:password', '--verbose -v']);
    expect(parseHelp(text, ['fetch']).positionals).toMatchObject([{ name: 'url', isRequired: true }]);
  });

  it('reads the style of jq, and knows options with several values', () => {
    const text = `pick - picks from JSON [version 1]

Usage:\tpick [options] <filter> [file...]
\tpick [options] --args <filter> [strings...]

  -c               compact output;
  --arg a v        set $a to <v>;
  --tab            use tabs;
`;
    expect(brief(text, ['pick'])).toEqual(['-c', '--arg a (several)', '--tab', '--args']);
    const page = parseHelp(text, ['pick']);
    expect(page.summary).toBe('picks from JSON [version 1]');
    expect(page.positionals.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['filter', true],
      ['file', false],
    ]);
  });

  it('reads the style of cobra', () => {
    const text = `Usage:  ship run [OPTIONS] IMAGE [COMMAND] [ARG...]

Start a container

Options:
      --add-host list        Add a name
  -m, --memory bytes         Limit
      --mode string          How (host|private)
`;
    expect(brief(text, ['ship', 'run'])).toEqual([
      '--add-host list',
      '--memory -m bytes',
      '--mode string {host,private}',
    ]);
    expect(parseHelp(text, ['ship', 'run'])).toMatchObject({
      summary: 'Start a container',
      positionals: [
        { name: 'IMAGE', isRequired: true },
        { name: 'COMMAND', isRequired: false, isRepeated: true, tail: true },
      ],
      isFlagsFirst: true,
    });
  });

  it('reads the longest name of a list, after which some programs leave one space', () => {
    const help =
      'Look after settings\n\nAvailable Commands:\n  set         Sets a value\n  set-context Sets a context\n\nUsage:\n  ops config SUBCOMMAND\n';
    const { commands } = parseHelp(help, ['ops', 'config']);
    expect(commands).toMatchObject([
      { name: 'set', description: 'Sets a value' },
      { name: 'set-context', description: 'Sets a context' },
    ]);
  });

  it('reads the style of clap', () => {
    const text = `A package manager

Usage: crate [OPTIONS] [COMMAND]

Commands:
    build, b    Compile
    new         Start a package
    ...         See all with --list

Options:
  -v, --verbose...     Say more
      --color <WHEN>   Colours [possible values: auto, always, never]
`;
    expect(brief(text)).toEqual(['--verbose -v', '--color WHEN {auto,always,never}']);
    expect(parseHelp(text, ['crate']).commands.map(({ name }) => name)).toEqual(['build', 'new']);
  });

  it('reads the style of argparse', () => {
    const text = `usage: draw.py [-h] [--size {small,large}] [-n N] shape

Draw something.

positional arguments:
  shape                 what to draw

options:
  -h, --help            show this help message and exit
  --size {small,large}  how large
  -n N, --count N       how often
`;
    expect(brief(text, ['draw'])).toEqual(['--help -h', '--size small,large {small,large}', '--count -n N']);
    const page = parseHelp(text, ['draw']);
    expect(page).toMatchObject({
      summary: 'Draw something.',
      positionals: [{ name: 'shape', isRequired: true, description: 'what to draw' }],
    });
  });

  it('reads options from a usage line that has nothing else', () => {
    const text = 'usage: cutter [-abn] [-f file] [--depth=<n>] source target';
    expect(brief(text, ['cutter'])).toEqual(['-a', '-b', '-n', '-f file', '--depth =n']);
    expect(parseHelp(text, ['cutter']).positionals.map(({ name }) => name)).toEqual(['source', 'target']);
  });

  it.for(['', '\n\n', 'no help here', '-', '--', '-- --', 'Usage:', 'Usage: [', '\u0000\u0001', '-'.repeat(100_000)])(
    'gives an empty page for %j',
    (text) => {
      expect(parseHelp(text, ['x'])).toMatchObject({ options: [], commands: [], positionals: [] });
    },
  );

  it('reads the usage of the BSDs, with letters together and parts of values in brackets', () => {
    const text = `usage: reach [-46Aq] [-D [bind:]port] [-W host:port] [-w tun[:other]] [-o option]
             destination [command [argument ...]]
`;
    expect(brief(text, ['reach'])).toEqual([
      '-4',
      '-6',
      '-A',
      '-q',
      '-D [bind:]port',
      '-W host:port',
      '-w tun[:other]',
      '-o option',
    ]);
    expect(parseHelp(text, ['reach']).positionals).toMatchObject([
      { name: 'destination', isRequired: true },
      { name: 'command', isRequired: false, isRepeated: true, tail: true },
    ]);
  });

  it('stays quick on hostile text', () => {
    const before = process.cpuUsage();
    for (const piece of ['-a, ', '[', '<a|', '{a,', '  --x y', 'a '.repeat(50), '...']) {
      parseHelp(`Usage: x ${piece.repeat(3000)}\n  --flag ${piece.repeat(3000)}\n${piece.repeat(3000)}`, ['x']);
    }
    for (const piece of ['[--a ', '{a,', 'a [a ...] ', '  ', '[aliases: ']) {
      const lists = `positional arguments:\n  ${piece.repeat(500)}\n\n\u256D\u2500 Commands \u2500\u256E\n\u2502 ${piece.repeat(500)} \u2502`;
      parseHelp(`usage: x [-h] ${piece.repeat(500)}\n\n${lists}`, ['x']);
    }
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });

  it('reads descriptions of subcommands that continue on the next line', () => {
    const help = `Usage: rig COMMAND

Commands:
  reload UNIT...    Reload units if possible,
                    otherwise start them
  stop UNIT         Stop one
`;
    expect(parseHelp(help, ['rig']).commands.map(({ name, description }) => [name, description])).toEqual([
      ['reload', 'Reload units if possible, otherwise start them'],
      ['stop', 'Stop one'],
    ]);
  });
});
