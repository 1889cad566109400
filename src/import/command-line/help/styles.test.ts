// Original help texts in the styles of command line libraries.
import { expect, it } from 'vitest';
import { expandPage } from '../correct-page.ts';
import { toCliTool } from '../to-cli-tool.ts';
import { parseHelp } from './parse-help.ts';

/** Summarizes arguments and subcommands. */
function brief(text: string, command: readonly string[]): string[] {
  const page = parseHelp(text, command);
  const args = toCliTool(expandPage(page)).tool.args ?? [];
  return [
    ...args.map(({ name, type, required, enum: values, negated, positional, tail, spread }) =>
      [
        positional === true ? `<${name}>` : tail === undefined ? name : `${tail} ${name}`,
        type,
        required === true ? 'required' : undefined,
        values && `{${values.join(',')}}`,
        negated,
        spread === true ? 'spread' : undefined,
      ]
        .filter((word) => word !== undefined)
        .join(' '),
    ),
    ...page.commands.map(({ name, description }) => `> ${name}: ${description}`),
  ];
}

it('reads the style of Click', () => {
  const text = `Usage: paint [OPTIONS] SHAPE [COLORS]...

  Paint a shape.

Options:
  --size INTEGER                How large  [default: 3]
  --mode [fast|slow]            How  [required]
  --tag TEXT                    A tag; may be given multiple times
  --shout / --no-shout          Loud or not
  -v, --verbose                 Say more
  --help                        Show this message and exit.
`;
  expect(brief(text, ['paint'])).toEqual([
    '<shape> required',
    '<colors> array',
    'size integer',
    'mode required {fast,slow}',
    'tag array',
    'shout boolean --no-shout',
    'verbose boolean',
  ]);
});

it('reads the style of yargs, with subcommands', () => {
  const text = `paint [command]

Commands:
  paint draw <shape>    Draw a shape                                  [aliases: d]
  paint list            List shapes

Options:
      --version  Show version number                                   [boolean]
      --help     Show help                                             [boolean]
`;
  expect(brief(text, ['paint'])).toEqual(['> draw: Draw a shape', '> list: List shapes']);
});

it('reads the style of yargs, of a subcommand', () => {
  const text = `paint draw <shape>

Draw a shape

Positionals:
  shape  What to draw                        [string] [required] [choices: "dot", "line"]

Options:
      --help    Show help                                               [boolean]
  -s, --size    How large                                 [number] [default: 3]
  -t, --tag     Tags                                                    [array]
      --mode    How                            [string] [choices: "fast", "slow"]
      --force   Anyway                              [boolean] [default: false]
`;
  expect(brief(text, ['paint', 'draw'])).toEqual([
    '<shape> required {dot,line}',
    'size number',
    'tag array',
    'mode {fast,slow}',
    'force boolean',
  ]);
});

it('reads the style of commander', () => {
  const text = `Usage: paint [options] <shape> [colors...]

Paint a shape

Arguments:
  shape                  what to paint
  colors                 which colours

Options:
  -s, --size <number>    how large (default: 3)
  -m, --mode <mode>      how (choices: "fast", "slow")
  -t, --tag <tags...>    some tags
  --no-border            without a border
  -h, --help             display help for command
`;
  expect(brief(text, ['paint'])).toEqual([
    '<shape> required',
    '<colors> array',
    'size integer',
    'mode {fast,slow}',
    'tag array',
    'no_border boolean',
  ]);
});

it('reads the style of oclif', () => {
  const text = `Draw a shape

USAGE
  $ paint draw SHAPE [-s <value>] [--mode fast|slow] [-f]

ARGUMENTS
  SHAPE  (dot|line) what to draw

FLAGS
  -f, --force          anyway
  -s, --size=<value>   [default: 3] how large
      --mode=<option>  how
                       <options: fast|slow>
      --[no-]border    with a border

DESCRIPTION
  Draw a shape

EXAMPLES
  $ paint draw dot

  $ paint draw line --size=4
`;
  expect(brief(text, ['paint', 'draw'])).toEqual([
    '<shape> required {dot,line}',
    'force boolean',
    'size',
    'mode {fast,slow}',
    'border boolean --no-border',
  ]);
});

it('reads the style of argparse, with subcommands', () => {
  const text = `usage: paint.py [-h] [--size SIZE] [--tag TAG] [--point X Y] [--mode {fast,slow}] [--names NAME [NAME ...]] {draw,list} ...

Paint.

positional arguments:
  {draw,list}           what to do
    draw                draw a shape
    list                list shapes

options:
  -h, --help            show this help message and exit
  --size SIZE           how large
  --names NAME [NAME ...]
                        names
  --mode {fast,slow}    how
`;
  expect(brief(text, ['paint.py'])).toEqual([
    'size',
    'names array spread',
    'mode {fast,slow}',
    'tag',
    'point array spread',
    '> draw: draw a shape',
    '> list: list shapes',
  ]);
});

it('takes the rest of a command line of argparse for that of another command', () => {
  const text = (usage: string): string => `usage: ops.py ${usage}

positional arguments:
  host        where
  rest        the command to run

options:
  -h, --help  show this help message and exit
`;
  expect(brief(text('exec [-h] host ...'), ['ops.py', 'exec'])).toEqual(['<host> required', 'true rest array']);
  // Both words occur in the usage: a list.
  expect(brief(text('exec [-h] host rest [rest ...]'), ['ops.py', 'exec'])).toEqual([
    '<host> required',
    '<rest> array required',
  ]);
});

it('reads the style of clap', () => {
  const text = `Paint a shape

Usage: paint draw [OPTIONS] <SHAPE> [COLORS]... [-- <ARGS>...]

Arguments:
  <SHAPE>      What to draw [possible values: dot, line]
  [COLORS]...  Which colours

Options:
  -s, --size <SIZE>      How large [default: 3]
  -t, --tag <TAG>...     Tags
      --mode <MODE>
          How to paint

          Possible values:
          - fast: quickly
          - slow: with care
  -v, --verbose...       Say more
  -h, --help             Print help
`;
  expect(brief(text, ['paint', 'draw'])).toEqual([
    '<shape> required {dot,line}',
    '<colors> array',
    '-- args array',
    'size',
    'tag array',
    'mode {fast,slow}',
    'verbose boolean',
  ]);
});

it('reads the lists of argparse, whatever the texts around them say', () => {
  const text = `usage: ops.py [-h] [--min MIN] [--mtu {1,2}] [-s] [--mode {a,b} | --by DX DY] [--sort [SORT]] --to TO [TO ...] (--up | --down | NAME) [X ...]

Do it. Use one of the commands:
  ops.py walk --far

optional arguments:
  -h, --help            show this help message and exit
  --min MIN             least (default: 3)
  --mtu {1,2}
  -s , --size           how large
  --mode {a,b}
  --by DX DY            how far
  --sort [SORT]
  --to TO [TO ...]

Directions:
  which way

  --up
  --down
  NAME                  where to
  X

notes:
  --far                 is no option
`;
  expect(brief(text, ['ops.py'])).toEqual([
    '<name>',
    '<X> array',
    'min integer',
    'mtu integer {1,2}',
    'size',
    'mode {a,b}',
    'by array spread',
    'sort boolean',
    'sort_value',
    'to array required spread',
    'up boolean',
    'down boolean',
  ]);
});

it('keeps argparse subcommands after positionals of the program in one tool, and says so', () => {
  const text = `usage: env.py [-h] env CMD ...

positional arguments:
  env         which
  CMD
    up        start it
    down      stop it

options:
  -h, --help  show this help message and exit
`;
  expect(brief(text, ['env.py'])).toEqual(['<env> required', '<command> required {up,down}', 'true args array']);
  expect(parseHelp(text, ['env.py']).doubts).toEqual([
    'its subcommands (up, down) come after env, so they are one tool, with their arguments as args',
  ]);
});

it('notes what a hand-written usage of argparse leaves open', () => {
  const text = `usage: send [options]

positional arguments:
  host
  {now,later}  when

options:
  -h, --help   show this help message and exit
  --user USER
`;
  expect(brief(text, ['send'])).toEqual(['<host>', '<value> {now,later}', 'user']);
  expect(parseHelp(text, ['send']).doubts).toEqual([
    'its usage does not say whether host, value must be given, nor how often',
  ]);
});

it('reads the frames that Rich draws for Typer', () => {
  const text = `
 Usage: notes add [OPTIONS] TITLE [WORDS]...

 Add a note.

╭─ Arguments ───────────────────────────────────────────────────╮
│ *    title      TEXT     The title [required]                   │
│      words      [WORDS]  The text                               │
╰────────────────────────────────────────────────────────────────╯
╭─ Options ─────────────────────────────────────────────────────╮
│ *  --owner         -o               TEXT                   [required]       │
│    --priority      -p               INTEGER RANGE [1<=x<=5]  How urgent     │
│                                                            [default: 3]     │
│    --mode                           [fast|slow]            [default: fast]  │
│    --done              --no-done                           [default: no-done] │
│    --file                           PATH                   A file           │
│    --weight                         <float>                [default: 1.5]   │
│    --help                                                  Show this message and exit. │
╰────────────────────────────────────────────────────────────────╯
`;
  expect(brief(text, ['notes', 'add'])).toEqual([
    '<title> required',
    '<words> array',
    'owner required',
    'priority integer',
    'mode {fast,slow}',
    'done boolean --no-done',
    'file',
    'weight number',
  ]);
});

it('reads numbers with limits and tuples of Click, and creates no tool for its groups', () => {
  const text = `Usage: paint size [OPTIONS] COMMAND [ARGS]...

Options:
  --level INTEGER RANGE  How loud  [default: 2; 1<=x<=5]
  --size INTEGER...      Width and height
  --help                 Show this message and exit.

Commands:
  add  Add a size
`;
  expect(brief(text, ['paint', 'size'])).toEqual(['level integer', 'size array spread', '> add: Add a size']);
});

it('reads other names of subcommands in the lists of commander and yargs', () => {
  const commander = `Usage: box [options] [command]

Options:
  -x <extras...>                  extras
  -h, --help                      display help for command

Commands:
  pack|p [options] <box> [more...]  Pack a box
  help [command]                  display help for command
`;
  expect(brief(commander, ['box'])).toEqual(['x array spread', '> pack: Pack a box']);
  const yargs = `box <command>

Commands:
  box install <name> [versions..]  Install a package             [aliases: i, add]
  box remove <names..>             Remove packages

Options:
  --version  Show version number                                       [boolean]
`;
  const { commands } = parseHelp(yargs, ['box']);
  expect(parseHelp(commander, ['box']).commands[0]?.aliases).toEqual(['p']);
  expect(commands.map(({ name, aliases }) => [name, aliases])).toEqual([
    ['install', ['i', 'add']],
    ['remove', undefined],
  ]);
  expect(
    brief('box remove <names..>\n\nOptions:\n  --version  Show version number   [boolean]\n', ['box', 'remove']),
  ).toEqual(['<names> array required']);
});
