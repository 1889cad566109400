import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Board, openBoard, ToolContext } from '../../index.ts';
import { eventually } from '../../platform/process/spawners.test-helper.ts';
import { reportProgress } from './report-progress.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-progress-')));
// The board's data must not be in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true }));

async function open(keys: string, head = ''): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  const type = keys.includes('commands:') ? 'run' : 'cli';
  writeFileSync(file, `${head}tools:\n  - name: t\n    type: ${type}\n    description: T\n    risk: read\n${keys}`);
  const board = await openBoard({ files: file, cwd: folder, data: join(top, 'data') });
  onTestFinished(() => board.close());
  return board;
}

/** A context that records its reports. */
function listener(): { context: ToolContext; told: string[]; putOffs: () => number; abort(): void } {
  const told: string[] = [];
  const controller = new AbortController();
  let putOffs = 0;
  const context = Object.create(new ToolContext(), {
    signal: { value: controller.signal },
    progress: {
      value: (...given: (string | number | undefined)[]) =>
        void told.push(given.filter((one) => one !== undefined).join(' ')),
    },
    putOffTimeout: { value: () => void putOffs++ },
  }) as ToolContext;
  return { context, told, putOffs: () => putOffs, abort: () => controller.abort() };
}

describe('progress of commands', () => {
  it('reaches a caller while the command runs, from both streams and each command', async () => {
    const go = join(folder, 'go');
    const board = await open(`
    progress: lines
    commands:
      - { cmd: sh, args: [-c, 'echo one; until test -e "$1"; do sleep 0.01; done; echo two >&2', _, ${JSON.stringify(go)}] }
      - { cmd: sh, args: [-c, 'echo three'] }
`);
    const told: unknown[] = [];
    const call = board.call('t', {}, { onProgress: ({ done, message }) => void told.push([done, message]) });
    await eventually(() => told.length > 0);
    expect(told).toEqual([[1, 'one']]);
    writeFileSync(go, '');
    expect((await call).text).toBe('one\n[stderr]\ntwo\nthree');
    // Fast lines are dropped, except the last.
    expect(told.at(-1)).toEqual([3, 'three']);
  });

  it('contains no secrets and no invisible characters', async () => {
    const board = await open(
      `    command: [sh, -c, 'printf "key %s\\033[31m red\\u200b\\342\\200\\256 end\\n" "$API_TOKEN"']\n    progress: lines\n`,
      'env: { API_TOKEN: tok-1234567890 }\n',
    );
    const told: (string | undefined)[] = [];
    await board.call('t', {}, { onProgress: ({ message }) => void told.push(message) });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('key [redacted]');
    // oxlint-disable-next-line no-control-regex -- escapes are what must not be there
    expect(told[0]).not.toMatch(/tok-|\u001B|\u202E/);
  });

  it('is a percentage if the lines have one, also when they are overwritten', () => {
    const { context, told } = listener();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const progress = reportProgress(context, 'percent');
    const take = progress.listen();
    for (const text of ['Start\nReceiving: ', '12%\rRec', 'eiving: 40.5% of 100%', ', 7 MB/s\rdone 120%\n', '99 %\n']) {
      take(Buffer.from(text), 'stderr');
      vi.advanceTimersByTime(150);
    }
    progress.end();
    expect(told).toEqual(['12 100 Receiving: 12%', '40.5 100 Receiving: 40.5% of 100%, 7 MB/s', '99 100 99 %']);
  });

  it('is reported at most ten times per second, always with the last line, and restarts the timeout', () => {
    const { context, told, putOffs } = listener();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const progress = reportProgress(context, 'lines');
    const take = progress.listen();
    for (let line = 1; line <= 1000; line++) {
      take(Buffer.from(`line ${line}\n`), 'stdout');
      vi.advanceTimersByTime(1);
    }
    progress.end();
    expect(told.length).toBeLessThanOrEqual(12);
    expect(told[0]).toBe('1 line 1');
    expect(told.at(-1)).toBe('1000 line 1000');
    expect(putOffs()).toBe(told.length);
  });

  it('drops lines that are too long, and reports nothing after the end', () => {
    const { context, told, abort } = listener();
    const progress = reportProgress(context, 'lines');
    const take = progress.listen();
    for (let part = 0; part < 100; part++) take(Buffer.from('x'.repeat(100)), 'stdout');
    take(Buffer.from('x\n\nshort é'), 'stdout');
    const bytes = Buffer.from('ü\n');
    take(bytes.subarray(0, 1), 'stdout');
    take(bytes.subarray(1), 'stdout');
    take(Buffer.from('later\n'), 'stdout');
    abort();
    progress.end();
    expect(told).toEqual(['1 short éü']);
  });

  it('extends the timeout while lines arrive, and stops when they do not', async () => {
    const board = await open(`
    command: [sh, -c, 'for i in 1 2 3 4 5 6 7 8; do echo "$i"; sleep 0.3; done; sleep 1000']
    timeout: 2s
    progress: lines
`);
    const { error, text } = await board.call('t');
    expect(error?.code).toBe('timeout');
    expect(text).toContain('did not finish within 2000 ms of its last progress');
    expect(text).toContain('\n8\n');
  });
});
