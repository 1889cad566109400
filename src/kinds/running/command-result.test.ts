import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Board, ConfigError, openBoard } from '../../index.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-command-result-')));
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a board with one tool `t`, of the kind `cli` unless its keys say otherwise. */
async function open(keys: string, head = ''): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  const type = keys.includes('commands:') ? 'run' : 'cli';
  writeFileSync(file, `${head}tools:\n  - name: t\n    type: ${type}\n    description: T\n    risk: read\n${keys}`);
  const board = await openBoard({ files: file, cwd: folder, data: join(folder, 'data') });
  onTestFinished(() => board.close());
  return board;
}

async function faultOf(keys: string): Promise<string> {
  const error: unknown = await open(keys).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('It opened.');
  return error.message;
}

describe('exit codes', () => {
  const CODES = `
    exit_codes: { 0: all is well, 1: nothing matches, 2: { error: the pattern is wrong }, 75: { error: busy, retry: true } }`;
  const EXIT = `
    command: [sh, -c, "echo out; echo problem >&2; exit $1", _]
    args: [{ name: code, type: integer, positional: true, required: true }]${CODES}
`;

  it('say what happened, and whether it is a failure', async () => {
    const board = await open(EXIT);
    expect(await board.call('t', { code: 0 })).toMatchObject({ ok: true, text: 'out\n\n[exit code 0: all is well]' });
    expect(await board.call('t', { code: 1 })).toMatchObject({
      ok: true,
      text: 'out\n\n[exit code 1: nothing matches]',
    });
    const failed = await board.call('t', { code: 2 });
    expect(failed.text).toBe('out\n\n[stderr]\nproblem\n\n[exit code 2: the pattern is wrong]');
    expect(failed.error).toMatchObject({ code: 'execution_failed', recoverable: false });
    const unknown = await board.call('t', { code: 3 });
    expect(unknown.text).toBe('out\n\n[stderr]\nproblem\n\n[exit code: 3]');
    expect(unknown.error).toMatchObject({ code: 'execution_failed', recoverable: false });
  });

  it('say which failures may pass, so that retries try again', async () => {
    const board = await open(`    retries: 1${EXIT}`);
    const busy = await board.call('t', { code: 75 });
    expect(busy.error).toMatchObject({ code: 'execution_failed', recoverable: true });
    expect(busy.meta.attempts).toBe(2);
    expect((await board.call('t', { code: 2 })).meta.attempts).toBe(1);
  });

  it('hold for each of several commands', async () => {
    const board = await open(`
    schema: { properties: { code: { type: integer } }, required: [code] }
    commands:
      - { cmd: echo, args: [first] }
      - { cmd: sh, args: [-c, "exit $1", _, "{{code}}"] }
      - { cmd: echo, args: [last] }${CODES}
`);
    expect((await board.call('t', { code: 1 })).text).toContain('[exit code 1: nothing matches]');
    const busy = await board.call('t', { code: 75 });
    expect(busy.text).toContain('first');
    expect(busy.text).not.toContain('last');
    expect(busy.error).toMatchObject({ code: 'execution_failed', recoverable: true });
  });

  it('that no command has are told with their place', async () => {
    const keys = '    command: ls\n    exit_codes: { 300: much, 1: one, 007: spy }\n';
    expect(await faultOf(keys)).toMatch(
      /pegboard\.yaml:7:\d+ tools\[0\]\.exit_codes.*no command exits with "300"\. Use 0 to 255\./,
    );
  });
});
