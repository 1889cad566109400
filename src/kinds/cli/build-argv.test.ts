import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../tool/tool-error.ts';
import type { CliArgument, CliSettings } from './cli-settings.ts';
import { buildCommandLine } from './build-argv.ts';

function arg(name: string, more: Partial<CliArgument> = {}): CliArgument {
  return {
    name,
    description: undefined,
    type: 'string',
    required: false,
    default: undefined,
    enum: undefined,
    pattern: undefined,
    flag: undefined,
    style: 'joined',
    place: 'flag',
    isPath: false,
    ...more,
  };
}

function settings(args: CliArgument[], more: Partial<CliSettings> = {}): CliSettings {
  return {
    confirmation: undefined,
    marksPaths: true,
    command: ['cmd', 'sub'],
    args,
    trailing: [],
    separator: undefined,
    running: { env: {}, envPass: [], workingDir: undefined, sandbox: undefined, output: undefined, exitCodes: {} },
    ...more,
  };
}

function argvOf(
  args: CliArgument[],
  values: Record<string, unknown>,
  more: Partial<CliSettings> = {},
): readonly string[] {
  return buildCommandLine(settings(args, more), values).argv.slice(2);
}

describe('order and flags', () => {
  it('writes the negated flag of a boolean for false, if there is one', () => {
    const args = [
      arg('color', { type: 'boolean', negated: '--no-color' }),
      arg('wait', { type: 'boolean', negated: '--wait=false' }),
      arg('quiet', { type: 'boolean' }),
    ];
    expect(argvOf(args, { color: false, wait: false, quiet: false })).toEqual(['--no-color', '--wait=false']);
    expect(argvOf(args, { color: true, wait: true })).toEqual(['--color', '--wait']);
  });

  it('puts global flags between the program and its subcommand', () => {
    const args = [
      arg('context', { isGlobal: true }),
      arg('all', { type: 'boolean' }),
      arg('debug', { type: 'boolean', isGlobal: true }),
    ];
    expect(buildCommandLine(settings(args), { all: true, context: 'lab', debug: true }).argv).toEqual([
      'cmd',
      '--context=lab',
      '--debug',
      'sub',
      '--all',
    ]);
  });

  it('puts positionals first, then flags in order, then fixed elements', () => {
    const args = [
      arg('a_flag'),
      arg('p1', { place: 'positional' }),
      arg('b', { flag: '-b' }),
      arg('p2', { place: 'positional' }),
    ];
    expect(argvOf(args, { b: '2', p2: 'second', a_flag: '1', p1: 'first' }, { trailing: ['--end'] })).toEqual([
      'first',
      'second',
      '--a-flag=1',
      '-b',
      '2',
      '--end',
    ]);
  });

  it('writes booleans only when true, and joins a flag that ends in =', () => {
    const args = [arg('yes', { type: 'boolean' }), arg('no', { type: 'boolean' }), arg('file', { flag: 'file=' })];
    expect(argvOf(args, { yes: true, no: false, file: '-x y' })).toEqual(['--yes', 'file=-x y']);
  });

  it('takes two elements when asked, and for CLImax files', () => {
    expect(argvOf([arg('a', { style: 'separate' })], { a: 'v' })).toEqual(['--a', 'v']);
    expect(argvOf([arg('a', { style: undefined })], { a: 'v' })).toEqual(['--a', 'v']);
    expect(argvOf([arg('a', { style: undefined })], { a: '--v' })).toEqual(['--a=--v']);
  });

  it('keeps working directory and standard input out of argv', () => {
    const args = [arg('dir', { place: 'cwd' }), arg('body', { place: 'stdin' })];
    expect(buildCommandLine(settings(args), { dir: '/x', body: 'text' })).toEqual({
      argv: ['cmd', 'sub'],
      cwd: '/x',
      stdin: 'text',
    });
  });

  it('sends an argument with both a flag and stdin where the command can use it', () => {
    const line = (flag: string) => buildCommandLine(settings([arg('body', { place: 'stdin', flag })]), { body: 'B' });
    expect(line('--body-file')).toMatchObject({ argv: ['cmd', 'sub', '--body-file', '-'], stdin: 'B' });
    expect(line('--stdin')).toMatchObject({ argv: ['cmd', 'sub', '--stdin'], stdin: 'B' });
    expect(line('--body')).toMatchObject({ argv: ['cmd', 'sub', '--body=B'], stdin: undefined });
  });

  it('writes integers exactly and lets negative numbers pass', () => {
    const args = [arg('n', { type: 'integer', flag: '-n' }), arg('at', { type: 'integer', place: 'positional' })];
    expect(argvOf(args, { n: Number.MAX_SAFE_INTEGER, at: -3 })).toEqual(['-3', '-n', '9007199254740991']);
  });
});

describe('values that look like flags', () => {
  it.each([
    ['positional', [arg('v', { place: 'positional' })]],
    ['short flag', [arg('v', { flag: '-v' })]],
    ['two elements', [arg('v', { style: 'separate' })]],
  ])('are refused for a %s', (_, args) => {
    for (const value of ['-rf', '--upload-pack=evil', '-']) {
      expect(() => argvOf(args, { v: value })).toThrow(/Argument "v": a value .* must not start with "-"/);
    }
  });

  it('are allowed as numbers with a suffix only if the pattern requires the number', () => {
    const size = arg('v', { place: 'positional', pattern: String.raw`[+-]?\d+[kMG]?` });
    expect(argvOf([size], { v: '-10k' })).toEqual(['-10k']);
    const any = arg('v', { place: 'positional', pattern: '.+' });
    expect(argvOf([any], { v: '-7' })).toEqual(['-7']);
    for (const value of ['-9m', '-1.5d', '-1 -d'])
      expect(() => argvOf([any], { v: value })).toThrow(/must not start with "-"/);
  });

  it('follow the separator the command understands', () => {
    const args = [arg('v', { place: 'positional' }), arg('w', { place: 'positional' })];
    expect(argvOf(args, { v: '-x', w: 'y' }, { separator: '--' })).toEqual(['--', '-x', 'y']);
    expect(argvOf(args, { v: '-x', w: 'y' }, { separator: '--end-of-options' })).toEqual([
      '--end-of-options',
      '-x',
      'y',
    ]);
    expect(argvOf(args, { v: '-x', w: 'y' }, { separator: './' })).toEqual(['./-x', 'y']);
    expect(argvOf(args, { v: 'x' }, { separator: '--' })).toEqual(['x']);
  });
});

it('never lets a value be anything but one whole value', () => {
  const args = [
    arg('p', { place: 'positional' }),
    arg('long'),
    arg('short', { flag: '-s' }),
    arg('two', { style: 'separate' }),
  ];
  fc.assert(
    fc.property(fc.record({ p: fc.string(), long: fc.string(), short: fc.string(), two: fc.string() }), (values) => {
      let argv: readonly string[];
      try {
        argv = argvOf(args, values);
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError);
        expect([values.p, values.short, values.two].some((value) => value.startsWith('-'))).toBe(true);
        return;
      }
      expect(argv).toEqual([values.p, `--long=${values.long}`, '-s', values.short, '--two', values.two]);
    }),
  );
});
