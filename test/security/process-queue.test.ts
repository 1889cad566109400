// The number of commands of a board that run at once, the queue, and the message of a call that was ended.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBoard } from '../../src/board/open-board.ts';
import type { Board } from '../../src/board/board.ts';
import type { OpenBoardOptions } from '../../src/board/open-board-options.ts';
import { eventually } from '../../src/platform/process/spawners.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-queue-'));
// Outside of the folder in which the commands run.
const data = mkdtempSync(join(tmpdir(), 'pegboard-queue-data-'));
const boards: Board[] = [];
afterAll(async () => {
  await Promise.all(boards.map((board) => board.close()));
  for (const path of [folder, data]) rmSync(path, { recursive: true, force: true });
});
let files = 0;

async function open(yaml: string, options: OpenBoardOptions = {}): Promise<Board> {
  const file = join(folder, `board-${files++}.yaml`);
  writeFileSync(file, yaml);
  const board = await openBoard(file, { cwd: folder, data, ...options });
  boards.push(board);
  return board;
}

/** A tool `work` that notes its start and its end, and ends when the file `gate` is there. */
function workshop(more = ''): { readonly yaml: string; readonly log: string; readonly gate: string } {
  const [log, gate] = [join(folder, `log-${files}`), join(folder, `gate-${files}`)];
  const script = `echo "+$1" >> ${log}; until [ -e ${gate} ]; do sleep 0.02; done; echo "-$1" >> ${log}`;
  const command = JSON.stringify(['sh', '-c', script, '_']);
  const args = '[{ name: who, positional: true, default: x }]';
  return {
    yaml: `${more}tools:\n  - { type: cli, name: work, description: Works, timeout: 10m, command: ${command}, args: ${args} }\n`,
    log,
    gate,
  };
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

/** Returns the most commands that ran at once, by the notes of their starts and ends. */
function mostAtOnce(log: string): number {
  let [now, most] = [0, 0];
  for (const line of linesOf(log)) most = Math.max(most, (now += line.startsWith('+') ? 1 : -1));
  return most;
}

describe('commands of a board', () => {
  it.each([
    ['in the file', 'processes: { concurrency: 3 }\n', {}],
    ['in code, before the file', 'processes: { concurrency: 20 }\n', { processes: { concurrency: 3 } }],
  ])('run at most as many at once as it says %s', async (_where, more, options) => {
    const { yaml, log, gate } = workshop(more);
    const board = await open(yaml, options);
    const calls = Array.from({ length: 30 }, () => board.call('work'));
    await eventually(() => linesOf(log).length >= 3);
    writeFileSync(gate, '');
    const results = await Promise.all(calls);
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect([linesOf(log).length, mostAtOnce(log)]).toEqual([60, 3]);
  });

  it('run by turns of the callers, not in the order of their calls', async () => {
    const { yaml, log, gate } = workshop('processes: { concurrency: 1 }\n');
    const board = await open(yaml);
    const call = (who: string): Promise<unknown> => board.call('work', { who }, { context: { caller: who } });
    const calls: Promise<unknown>[] = [];
    for (const who of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) {
      calls.push(call(who));
      await eventually(() => board.processes.running + board.processes.waiting === calls.length);
    }
    writeFileSync(gate, '');
    await Promise.all(calls);
    expect(
      linesOf(log)
        .filter((line) => line.startsWith('+'))
        .join(''),
    ).toBe('+a+a+b+c+a+b+a');
  });

  it('are not started when too many calls wait, or the caller gave up', async () => {
    const { yaml, log, gate } = workshop('processes: { concurrency: 1, queue: 1 }\n');
    const board = await open(yaml);
    const first = board.call('work', { who: 'first' });
    await eventually(() => board.processes.running === 1);
    const controller = new AbortController();
    const second = board.call('work', { who: 'second' }, { signal: controller.signal });
    await eventually(() => board.processes.waiting === 1);
    const third = await board.call('work', { who: 'third' });
    expect(third.error?.toJSON()).toEqual({
      code: 'busy',
      tool: 'work',
      recoverable: true,
      message:
        'The board already runs the maximum number of commands (processes.concurrency: 1), and its queue is full (processes.queue: 1). Nothing was started: try again later.',
    });
    controller.abort();
    expect((await second).error?.code).toBe('cancelled');
    const fourth = board.call('work', { who: 'fourth' });
    writeFileSync(gate, '');
    expect([(await first).ok, (await fourth).ok]).toEqual([true, true]);
    expect(linesOf(log)).toEqual(['+first', '-first', '+fourth', '-fourth']);
  });

  it('take their places up again after a reload', async () => {
    const { yaml, log, gate } = workshop('processes: { concurrency: 1 }\n');
    const board = await open(yaml);
    const calls = [board.call('work'), board.call('work'), board.call('work')];
    await eventually(() => linesOf(log).length === 1);
    writeFileSync(join(folder, `board-${files - 1}.yaml`), yaml.replace('concurrency: 1', 'concurrency: 3'));
    expect(await board.reload()).toEqual({ ok: true });
    await eventually(() => linesOf(log).length === 3);
    appendFileSync(gate, '');
    await Promise.all(calls);
  });

  it('that wait when the board is closed are not started', async () => {
    const { yaml, log } = workshop('processes: { concurrency: 1 }\n');
    const board = await open(yaml);
    const calls = [board.call('work', { who: 'a' }), board.call('work', { who: 'b' })];
    await eventually(() => linesOf(log).length === 1);
    await board.close();
    const codes = (await Promise.all(calls)).map(({ error }) => error?.code);
    expect(codes).toEqual(['execution_failed', 'cancelled']);
    expect(linesOf(log)).toEqual(['+a']);
  });
});

describe('a call that is ended', () => {
  /** Calls with ever more time until the tool has printed what is waited for. */
  async function callUntil(board: Board, name: string, wanted: string) {
    for (let timeout = 250; ; timeout *= 2) {
      const result = await board.call(name, {}, { timeout });
      if (result.text.includes(wanted)) return { text: result.text, code: result.error?.code, timeout };
    }
  }

  it('tells what the command had printed when the time was up', async () => {
    const script = JSON.stringify(['sh', '-c', 'echo first; echo second; echo oops >&2; exec sleep 1000']);
    const board = await open(`tools:\n  - { type: cli, name: slow, description: Slow, command: ${script} }\n`);
    const { text, code, timeout } = await callUntil(board, 'slow', 'oops');
    expect(code).toBe('timeout');
    expect(text).toBe(
      `Tool "slow" did not finish within ${timeout} ms and was stopped. Ask for less, or try again later.\n[output so far]\nfirst\nsecond\n\n[stderr]\noops\n`,
    );
  });

  it('names the key that gives the command more time, unless the caller said how long', async () => {
    const board = await open(
      'name: desk\ntools:\n  - { type: cli, name: slow, description: Slow, command: sleep 1000, timeout: 50ms }\n',
    );
    const own = await board.call('slow');
    expect(own.error?.code).toBe('timeout');
    expect(own.text).toBe(
      'Tool "slow" did not finish within 50 ms and was stopped. Ask for less, or try again later. If it needs longer, raise timeout: of its entry in the config (desk).',
    );
    expect((await board.call('slow', {}, { timeout: 40 })).text).not.toContain('raise timeout:');
  });

  it('tells what it had printed when the caller gives up', async () => {
    const mark = join(folder, `printed-${files}`);
    const script = JSON.stringify(['sh', '-c', `seq 1 400000; touch ${mark}; exec sleep 1000`]);
    const board = await open(`tools:\n  - { type: cli, name: slow, description: Slow, command: ${script} }\n`);
    const controller = new AbortController();
    const call = board.call('slow', {}, { signal: controller.signal, timeout: Infinity });
    await eventually(() => existsSync(mark));
    controller.abort();
    const { text, error } = await call;
    expect(error?.code).toBe('cancelled');
    // The pipe holds the last of it; the rest was read before the file could be made.
    expect(text).toContain('The call of "slow" was cancelled before it finished.\n[output so far]\n1\n2\n3\n');
    expect(text).toContain('\n10000\n');
  });

  it('tells what earlier commands of a run printed too', async () => {
    const board = await open(`tools:
  - type: run
    name: steps
    description: Steps
    commands: [{ cmd: echo, args: [one] }, { cmd: sh, args: ['-c', 'echo two; exec sleep 1000'] }]
`);
    expect((await callUntil(board, 'steps', 'two')).text).toContain(
      'was stopped. Ask for less, or try again later.\n[output so far]\none\ntwo\n',
    );
  });

  it('keeps what is too long for the answer', async () => {
    const script = JSON.stringify(['sh', '-c', 'seq 1 100000; exec sleep 1000']);
    const board = await open(
      `tools:\n  - { type: cli, name: long, description: Long, max_output: 4000, command: ${script} }\n`,
    );
    const { text } = await callUntil(board, 'long', '\n100000\n');
    const [, id = ''] = /id "([^"]+)"/.exec(text) ?? [];
    const page = await eventuallyRead(board, id);
    expect(page).toMatchObject({ lines: ['50001', '50002'] });
  });

  /** The output is there when the command is gone. */
  async function eventuallyRead(board: Board, id: string): Promise<unknown> {
    for (;;) {
      const { ok, data } = await board.call('output_read', { id, offset: 50_000, lines: 2 });
      if (ok) return data;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});
