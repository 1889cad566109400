import { describe, expect, it } from 'vitest';
import { defineCommand } from '../shared/command.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { UsageError } from '../shared/usage-error.ts';

const command = defineCommand({
  name: 'pin',
  description: 'Pins things.',
  arguments: [{ name: 'NAME', description: 'What to pin', required: true }],
  options: {
    tag: { type: 'string', short: 't', value: 'NAME', multiple: true, description: 'A tag' },
    out: { type: 'string', value: 'FILE', description: 'Where' },
    'dry-run': { type: 'boolean', description: 'Nothing happens' },
  },
  examples: [],
  run: async () => 0,
});

function failure(args: readonly string[]): string {
  try {
    parseCommandLine(command, args);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return error instanceof Error ? error.message : '';
  }
}

describe('parseCommandLine', () => {
  it('parses every option to a value of its type', () => {
    expect(parseCommandLine(command, ['x']).values).toEqual({
      tag: [],
      out: undefined,
      'dry-run': false,
      json: false,
      help: false,
    });
    expect(parseCommandLine(command, ['--tag=a', 'x', '-t', 'b', '--dry-run', '--out=-o', '--json'])).toEqual({
      values: { tag: ['a', 'b'], out: '-o', 'dry-run': true, json: true, help: false },
      positionals: ['x'],
    });
  });

  it('treats everything after -- as words', () => {
    expect(parseCommandLine(command, ['--', '--tag']).positionals).toEqual(['--tag']);
  });

  it('treats a lone dash as a value', () => {
    expect(parseCommandLine(command, ['x', '--out', '-']).values['out']).toBe('-');
  });

  it('requires nothing else when help is requested', () => {
    expect(parseCommandLine(command, ['-h']).values['help']).toBe(true);
  });

  it('suggests a correction', () => {
    expect(failure([])).toBe('"pegboard pin" needs NAME: what to pin.');
    expect(failure(['x', 'y'])).toBe('"pegboard pin" takes only NAME; got "y" as well.');
    expect(failure(['x', '--dryrun'])).toBe('"pegboard pin" has no option --dryrun. Did you mean --dry-run?');
    expect(failure(['x', '-z'])).toBe(
      '"pegboard pin" has no option -z. Use one of: --tag, --out, --dry-run, --json, --help.',
    );
    const call = {
      ...command,
      arguments: [{ name: 'ARGUMENTS', description: 'What it takes', completes: 'arguments' }],
    };
    expect(() => parseCommandLine(call as typeof command, ['--stage', 'test'])).toThrow(
      'For an argument of the tool write stage=VALUE.',
    );
    expect(failure(['x', '--out'])).toBe('--out needs a value: --out FILE.');
    expect(failure(['x', '--out', '--json'])).toBe(
      '--out needs a value before "--json". If that is the value, write --out=--json.',
    );
    expect(failure(['x', '--out', 'a', '--out', 'b'])).toBe('--out is given twice. Give it once.');
    expect(failure(['x', '--json=yes'])).toBe('--json takes no value; got "yes".');
    expect(failure(['x', '--constructor'])).toMatch(/^"pegboard pin" has no option --constructor\./);
  });
});
