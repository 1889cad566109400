import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Board, openBoard } from '../../index.ts';
import { commandBoards } from './command-boards.test-helper.ts';

const { folder, open } = commandBoards();

async function argvOf(board: Board, args: Record<string, unknown>): Promise<readonly string[]> {
  const { steps } = await board.dryRun('t', args);
  const [step] = steps;
  if (step?.type !== 'command') throw new Error('No command.');
  return step.argv;
}

const DOCKER = `
    command: docker run
    flags: first
    args:
      - { name: env, type: object, flag: -e }
      - { name: label, type: array, join: "," }
      - { name: port, type: array, flag: -p }
      - { name: detach, type: boolean, flag: -d }
      - { name: rm, type: boolean }
      - { name: ids, split: space, spread: true, pattern: "i-[0-9a-f]+" }
      - { name: image, positional: true, required: true }
      - { name: command, type: array, tail: true }
    exclusive: [[detach, rm]]
    together: [[label, port]]
`;

describe('pairs of two elements', () => {
  const PICK = `
    command: pick
    flags: first
    args:
      - { name: arg, type: object, pair: separate }
      - { name: codec, type: object, pair: separate, flag: "-c:" }
      - { name: filter, positional: true, required: true }
`;

  it('follow the flag, which is repeated or joined to the key', async () => {
    const board = await open(PICK);
    expect(await argvOf(board, { filter: '.', arg: { a: 'x y', b: 2 }, codec: { v: 'copy', 'a:0': 'aac' } })).toEqual(
      'pick|--arg|a|x y|--arg|b|2|-c:v|copy|-c:a:0|aac|.'.split('|'),
    );
    expect(await argvOf(board, { filter: '.', arg: {} })).toEqual(['pick', '.']);
  });

  it('refuse keys and values that the command could read as flags', async () => {
    const board = await open(PICK);
    for (const arg of [{ '--args': 'x' }, { a: '-f' }]) {
      expect(await board.call('t', { filter: '.', arg })).toMatchObject({
        ok: false,
        error: { code: 'invalid_arguments' },
      });
    }
    expect(await board.call('t', { filter: '.', codec: { v: '-y' } })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', field: 'codec' },
    });
  });

  it('do not share an element', async () => {
    await expect(
      open('    command: x\n    args:\n      - { name: a, type: object, pair: separate, join: "," }\n'),
    ).rejects.toThrow('join');
  });
});

describe('several values', () => {
  it('repeat a flag, share an element, follow a flag, or come last', async () => {
    const board = await open(DOCKER);
    const args = {
      image: 'alpine',
      env: { A: '1', B: 'x y; rm -rf /' },
      label: ['a', 'b'],
      port: ['80:80', '443:443'],
      ids: 'i-1  i-2',
      command: ['ls', '-la', '--color'],
    };
    expect(await argvOf(board, args)).toEqual(
      'docker|run|-e|A=1|-e|B=x y; rm -rf /|--label=a,b|-p|80:80|-p|443:443|--ids|i-1|i-2|--|alpine|ls|-la|--color'.split(
        '|',
      ),
    );
    expect(await argvOf(board, { image: 'alpine', env: {}, command: [] })).toEqual(['docker', 'run', 'alpine']);
  });

  it('are positionals, one element each, as a command gets them', async () => {
    const board = await open(`
    command: [printf, "%s|"]
    args: [{ name: words, type: array, positional: true, required: true }]
`);
    expect((await board.call('t', { words: ['a b', '$(id)', '*'] })).text).toBe('a b|$(id)|*|');
    expect((await board.call('t', { words: [] })).error?.code).toBe('invalid_arguments');
    expect((await board.call('t', { words: ['ok', '-n'] })).error?.message).toContain('must not start with "-"');
  });

  it('after "--" may be anything', async () => {
    const board = await open(`
    command: kubectl exec
    args:
      - { name: pod, positional: true, required: true }
      - { name: container, flag: -c }
      - { name: command, type: array, tail: "--" }
`);
    const args = { pod: 'web', container: 'app', command: ['ls', '-la'] };
    expect(await argvOf(board, args)).toEqual(['kubectl', 'exec', 'web', '-c', 'app', '--', 'ls', '-la']);
  });

  it('stay numbers', async () => {
    const board = await open(`
    command: seq
    args: [{ name: numbers, type: array, items: integer, positional: true }]
`);
    expect((await board.call('t', { numbers: [-1, 1] })).text).toBe('-1\n0\n1\n');
    expect((await board.call('t', { numbers: ['1; id'] })).error?.code).toBe('invalid_arguments');
  });

  it.for([
    [{ image: 'a', label: ['x,y'], port: ['1'] }, 'a value must not contain ","'],
    [{ image: 'a', port: ['-v/:/host'], label: ['x'] }, 'a value of -p must not start with "-"'],
    [{ image: 'a', ids: 'i-1 --privileged' }, 'ids'],
    [{ image: 'a', ids: '--privileged' }, 'ids'],
    [{ image: 'a', command: ['--privileged'] }, 'the first value here must not start with "-"'],
    [{ image: '-v', command: ['ls'] }, 'must not start with "-"'],
    [{ image: 'a', env: { 'A=B': '1' } }, 'a key must be some text without "="'],
    [{ image: 'a', env: { A: ['x'] } }, 'env.A'],
  ] as const)('are checked each: %j', async ([args, message]) => {
    const result = await (await open(DOCKER)).call('t', args);
    expect(result.error).toMatchObject({ code: 'invalid_arguments' });
    expect(result.error?.message).toContain(message);
  });

  it('that are paths are each checked against the roots of the policy', async () => {
    const keys = `
    command: [printf, "%s|"]
    args:
      - { name: files, type: array, positional: true, path: true }
      - { name: mounts, type: object, flag: --mount, path: true }
      - { name: text, split: comma, join: ":", path: true }
`;
    const board = await open(keys, 'policy: { roots: [.] }\n');
    expect((await board.call('t', { files: ['a', 'b'], mounts: { x: 'c' }, text: 'd, e' })).ok).toBe(true);
    const given = [
      { files: ['a', '/etc/passwd'] },
      { files: ['a', '../x'] },
      { mounts: { x: '/etc' } },
      { text: 'a, /etc/passwd' },
      { text: 'a,../x' },
    ];
    const results = await Promise.all(given.map((args) => board.call('t', args)));
    const isRefused = results.map(({ error }) => error?.message.includes('must lie in an allowed folder'));
    expect(isRefused).toEqual(given.map(() => true));
  });
});

describe('groups of arguments', () => {
  it.for([
    [{ image: 'a', detach: true, rm: true }, 'takes only one of detach and rm, not both'],
    [{ image: 'a', label: ['x'] }, 'port'],
  ] as const)('are checked before anything starts: %j', async ([args, message]) => {
    const result = await (await open(DOCKER)).call('t', args);
    expect(result.error?.message).toContain(message);
  });

  it('need one of several', async () => {
    const board = await open(`
    command: [echo]
    args: [{ name: a }, { name: b }]
    one_of: [[a, b]]
`);
    expect((await board.call('t', {})).error?.message).toContain('needs a or b');
    expect((await board.call('t', { b: '1' })).text).toBe('--b=1\n');
  });

  it.for([
    ['exclusive: [[a, x]]', 'exclusive[0]: there is no argument "x". Use one of: a, c, format.'],
    ['one_of: [[a, fromat]]', 'one_of[0]: there is no argument "fromat". Did you mean "format"?'],
    ['together: [[a, c]]', '"c" has a default, so every call gives it.'],
  ] as const)('are refused with wrong names: %s', async ([keys, message]) => {
    const yaml = `
    command: [echo]
    args: [{ name: a }, { name: c, default: x }, { name: format }]
    ${keys}
`;
    await expect(open(yaml)).rejects.toThrow(message);
  });

  it.for([
    ['{ name: a, type: array, default: x }', 'must be a list'],
    ['{ name: a, type: array, cwd: true }', 'takes one value'],
    ['{ name: a, default: [x] }', 'is a list; use type: array'],
    ['{ name: a, type: array, join: ",", enum: ["x,y"] }', 'contains the separator of values'],
  ] as const)('and lists that make no sense are told: %s', async ([arg, message]) => {
    await expect(open(`\n    command: [echo]\n    args: [${arg}]\n`)).rejects.toThrow(message);
  });
});

it('fills lists in commands with templates', async () => {
  const file = join(folder, 'run.yaml');
  writeFileSync(
    file,
    `tools:
  - name: t
    type: run
    description: T
    risk: read
    schema: { properties: { files: { type: array, items: { type: string } }, labels: { type: object } } }
    commands: [{ cmd: printf, args: ["%s|", "{{...files}}", "{{…labels}}"] }]
`,
  );
  const board = await openBoard({ files: file, cwd: folder, data: join(folder, '../data') });
  onTestFinished(() => board.close());
  expect((await board.call('t', { files: ['a b', '{{labels}}'], labels: { x: 1 } })).text).toBe('a b|{{labels}}|x=1|');
  expect((await board.call('t', {})).text).toBe('|');
  expect((await board.call('t', { files: ['a', '-n'] })).error?.code).toBe('invalid_arguments');
});

describe('limits of numbers', () => {
  it('apply to a number and to each item of a list', async () => {
    const board = await open(`
    command: echo
    args:
      - { name: count, type: integer, min: 1, max: 10 }
      - { name: parts, type: array, items: number, max: 0.5 }
`);
    expect(await argvOf(board, { count: 10, parts: [0.5] })).toEqual(['echo', '--count=10', '--parts=0.5']);
    for (const args of [{ count: 0 }, { count: 11 }, { parts: [0.1, 0.6] }]) {
      expect((await board.call('t', args)).error?.code).toBe('invalid_arguments');
    }
  });

  it.for([
    ['{ name: count, min: 1 }', 'args[0].min: is a limit for numbers; use type: integer or number.'],
    ['{ name: count, type: integer, min: 2, max: 1 }', 'args[0].min: is above max (1).'],
  ])('must fit the argument: %s', async ([arg = '', message = '']) => {
    await expect(open(`    command: echo\n    args: [${arg}]\n`)).rejects.toThrow(message);
  });
});

it('describes a command once whose groups only state requirements', async () => {
  const board = await open(
    '    command: pick\n    args: [{ name: a }, { name: b }]\n    one_of: [[a, b]]\n    exclusive: [[a, b]]\n',
  );
  expect((await board.call('t', {})).text).toBe(
    'Invalid arguments for "t":\n- arguments: needs a or b\nIt takes: a (string, optional), b (string, optional). Correct these and call again.',
  );
});
