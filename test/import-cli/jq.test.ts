import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

/** Lines for which help alone says enough. jq of other versions knows more long spellings. */
const LINES: readonly Line[] = [
  ['jq . a.json', 'jq', { jq_filter: '.', file: ['a.json'] }],
  ["jq '.items[] | .name' a.json b.json", 'jq', { jq_filter: '.items[] | .name', file: ['a.json', 'b.json'] }],
  ['jq --compact-output . a.json', 'jq', { compact_output: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --raw-output .name a.json', 'jq', { raw_output: true, jq_filter: '.name', file: ['a.json'] }],
  ["jq --null-input '1 + 1'", 'jq', { null_input: true, jq_filter: '1 + 1' }],
  ["jq --slurp 'map(.price) | add' a.json", 'jq', { slurp: true, jq_filter: 'map(.price) | add', file: ['a.json'] }],
  ['jq --sort-keys . a.json', 'jq', { sort_keys: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --raw-input \'split(",")\' a.csv', 'jq', { raw_input: true, jq_filter: 'split(",")', file: ['a.csv'] }],
  ['jq --exit-status .ok a.json', 'jq', { exit_status: true, jq_filter: '.ok', file: ['a.json'] }],
  ['jq --monochrome-output . a.json', 'jq', { monochrome_output: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --color-output . a.json', 'jq', { color_output: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --tab . a.json', 'jq', { tab: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --indent 4 . a.json', 'jq', { indent: 4, jq_filter: '.', file: ['a.json'] }],
  [
    "jq --null-input --arg name 'Ada L' --arg n 2 '{$name, $n}'",
    'jq',
    { null_input: true, arg: { name: 'Ada L', n: '2' }, jq_filter: '{$name, $n}' },
  ],
  [
    "jq --argjson limit 10 'select(.n < $limit)' a.json",
    'jq',
    { argjson: { limit: 10 }, jq_filter: 'select(.n < $limit)', file: ['a.json'] },
  ],
  [
    "jq --slurpfile others b.json '. + $others[0]' a.json",
    'jq',
    { slurpfile: { others: 'b.json' }, jq_filter: '. + $others[0]', file: ['a.json'] },
  ],
  ["jq --rawfile text a.txt '$text'", 'jq', { rawfile: { text: 'a.txt' }, jq_filter: '$text' }],
  ['jq --join-output .name a.json', 'jq', { join_output: true, jq_filter: '.name', file: ['a.json'] }],
  ['jq --ascii-output . a.json', 'jq', { ascii_output: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --stream . a.json', 'jq', { stream: true, jq_filter: '.', file: ['a.json'] }],
  ['jq --seq . a.json', 'jq', { seq: true, jq_filter: '.', file: ['a.json'] }],
  [
    "jq --null-input --args '$ARGS.positional' a b",
    'jq',
    { null_input: true, args: true, jq_filter: '$ARGS.positional', file: ['a', 'b'] },
  ],
];

describe('import of jq', needs('jq', 'jq-manual'), () => {
  let imported: ImportedBoard;
  beforeAll(async () => {
    imported = await importBoard(['jq']);
  }, 600_000);
  afterAll(() => imported.close());

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line);
  });

  it('holds files to the roots of a policy, and lets values of variables be', async () => {
    const allowed: RootedCall[] = [
      ['jq', { null_input: true, arg: { a: '/etc/passwd' }, jq_filter: '$a' }],
      ['jq', { null_input: true, argjson: { n: 5 }, jq_filter: '$n' }],
      ['jq', { slurpfile: { b: 'b.json' }, jq_filter: '$b' }],
    ];
    const outside: RootedCall[] = [
      ['jq', { slurpfile: { b: '/etc/passwd' }, jq_filter: '$b' }],
      ['jq', { rawfile: { b: '/etc/passwd' }, jq_filter: '$b' }],
      ['jq', { jq_filter: '.', file: ['/etc/passwd'] }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it('reads files', async () => {
    const { board, folder } = imported;
    writeFileSync(join(folder, 'a.json'), '{"items": [{"n": 1}, {"n": 20}], "ok": true}');
    writeFileSync(join(folder, 'b.json'), '{"more": 1}');
    const ask = async (input: Record<string, unknown>): Promise<string> => (await board.call('jq', input)).text;
    expect(await ask({ compact_output: true, jq_filter: '.items[]', file: ['a.json'] })).toBe('{"n":1}\n{"n":20}\n');
    expect(
      await ask({ argjson: { limit: 10 }, jq_filter: '.items[] | select(.n < $limit) | .n', file: ['a.json'] }),
    ).toBe('1\n');
    expect(await ask({ slurpfile: { b: 'b.json' }, jq_filter: '$b[0].more', file: ['a.json'] })).toBe('1\n');
    expect(await ask({ null_input: true, raw_output: true, arg: { a: 'x y' }, jq_filter: '$a' })).toBe('x y\n');
  });

  it('wants a filter, and takes none for a flag', async () => {
    await expect(imported.lineOf('jq')).rejects.toThrow('jq_filter: is required');
    await expect(imported.lineOf('jq', { jq_filter: '-n' })).rejects.toThrow('must not start with "-"');
  });
});
