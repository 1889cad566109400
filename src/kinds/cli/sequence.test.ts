import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toOpenAITools } from '../../index.ts';
import { commandBoards } from './command-boards.test-helper.ts';

const { folder, open } = commandBoards();

const GREP = `
    command: grep --recursive --no-messages
    flags: first
    exit_codes: { 1: nothing matches }
    args:
      - { name: count, type: boolean }
      - name: filters
        type: array
        sequence:
          - { name: include, description: Files to search }
          - { name: exclude, style: separate }
          - { name: exclude_from, path: true }
          - { name: depth, type: integer, flag: -D, max: 3 }
          - { name: or, type: boolean, flag: -o }
          - { name: at, path: url }
      - { name: pattern, positional: true, required: true }
      - { name: folder, positional: true, path: true }
`;

describe('flags in the order of a list', () => {
  it('follow the order of the call, and may repeat', async () => {
    const board = await open(GREP);
    const filters = [
      { exclude: '*' },
      { include: '*.txt' },
      { exclude: 'b.txt' },
      { or: true },
      { or: false },
      { depth: -1 },
    ];
    const { steps } = await board.dryRun('t', { pattern: 'x', filters, count: true });
    expect(steps).toMatchObject([
      {
        argv: 'grep|--recursive|--no-messages|--count|--exclude|*|--include=*.txt|--exclude|b.txt|-o|-D|-1|x'.split(
          '|',
        ),
      },
    ]);
  });

  it('decide what a command does', async () => {
    const board = await open(GREP);
    mkdirSync(join(folder, 'files'), { recursive: true });
    for (const name of ['a.txt', 'b.md']) writeFileSync(join(folder, 'files', name), 'needle\n');
    const search = async (...filters: readonly object[]): Promise<string> =>
      (await board.call('t', { pattern: 'needle', folder: 'files', filters })).text;
    // grep: the last match decides.
    expect(await search({ exclude: '*' }, { include: '*.txt' })).toBe('files/a.txt:needle\n');
    expect(await search({ include: '*.txt' }, { exclude: '*' })).toContain('nothing matches');
  });

  it.for([
    [[{ exclude: '*', include: '*.txt' }], 'filters[0]: must have at most 1 key, got 2'],
    [[{}], 'filters[0]: must have at least 1 key'],
    [[{ excludes: '*' }], 'filters[0].excludes: is not a known argument'],
    [[{ include: 'a' }, { depth: 4 }], 'filters[1].depth'],
    [[{ exclude: '-rf' }], 'a value of --exclude must not start with "-"'],
    [
      [{ exclude_from: 'ok' }, { exclude_from: '/etc/passwd' }],
      'filters[1].exclude_from: must lie in an allowed folder',
    ],
    [[{ at: 'https://example.com' }, { at: '../x' }], 'filters[1].at: must lie in an allowed folder'],
  ] as const)('are checked each: %j', async ([filters, message]) => {
    const board = await open(GREP, 'policy: { roots: [.] }\n');
    const { error } = await board.call('t', { pattern: 'x', filters });
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(error?.message).toContain(message);
  });

  it('outside of the list are answered with their place', async () => {
    const { error } = await (await open(GREP)).call('t', { pattern: 'x', exclude: '*', '--exclude-from': 'a' });
    expect(error?.message).toMatch(
      /^- exclude: is not a known argument: it belongs in the list "filters": \[\{"exclude": …\}\]\.\n- --exclude-from: .*"filters": \[\{"exclude_from": …\}\]\.$/m,
    );
  });

  it('may come from a model that must send every key', async () => {
    const board = await open(GREP);
    const { tools } = toOpenAITools(board, { strict: true });
    expect(JSON.stringify(tools)).toContain('"required":["include","exclude","exclude_from","depth","or","at"]');
    const none = { include: null, exclude: null, exclude_from: null, depth: null, or: null, at: null };
    writeFileSync(join(folder, 'c.txt'), 'pin\n');
    const filters = [
      { ...none, exclude: '*' },
      { ...none, include: 'c.*' },
    ];
    const { text } = await board.call('t', { pattern: 'pin', filters, count: null }, { coerce: true });
    expect(text).toBe('c.txt:pin\n');
  });

  it.for([
    ['{ name: a, sequence: [{ name: b }] }', 'args[0].sequence: is for type: array.'],
    [
      '{ name: a, type: array, sequence: [{ name: b }], positional: true }',
      'args[0].positional: cannot be combined with sequence',
    ],
    ['{ name: a, type: array, sequence: [{ name: b }], enum: [x] }', 'args[0].enum: cannot be combined with sequence'],
    [
      '{ name: a, type: array, sequence: [{ name: b, pattern: "(" }] }',
      'args[0].sequence[0].pattern: must be a regular',
    ],
    ['{ name: a, type: array, sequence: [{ name: b, min: 1 }] }', 'args[0].sequence[0].min: is a limit for numbers'],
  ] as const)('must make sense: %s', async ([arg, message]) => {
    await expect(open(`    command: echo\n    args: [${arg}]\n`)).rejects.toThrow(message);
  });
});
