import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Board } from '../../board/board.ts';
import { openBoard } from '../../board/open-board.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { startPostgres } from '../../platform/postgres/test-server.test-helper.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { fakeTool } from '../../testing/fake-tool.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineAgent } from '../define/define-agent.ts';
import type { AgentEvent, AgentResult } from '../loop/agent-result.ts';
import { runAgent, streamAgent } from '../loop/run-agent.ts';
import { openSession } from '../session/agent-session.ts';
import { makeAgent, openTestBoard, QUESTION } from './kept-run.test-helper.ts';
import { listRuns, resumeRun, streamRun } from './resume-run.ts';
import { needs } from '../../../test/needs.test-helper.ts';

const HELPER = join(import.meta.dirname, 'kept-run.test-helper.ts');
const root = mkdtempSync(join(tmpdir(), 'pegboard-runs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
});

async function open(tools: readonly Tool[] = []): Promise<Board> {
  const board = await openBoard([], { tools, data: folder });
  onTestFinished(() => board.close());
  return board;
}

/** Counts how often each tool ran, and with how many keys. */
function effectsIn(place: string): Map<string, { readonly times: number; readonly keys: number }> {
  const lines = existsSync(join(place, 'effects'))
    ? readFileSync(join(place, 'effects'), 'utf8').trim().split('\n')
    : [];
  const groups = Map.groupBy(lines, (line) => line.split(' ')[0] ?? '');
  return new Map([...groups].map(([name, all]) => [name, { times: all.length, keys: new Set(all).size }]));
}

/** Resumes a run whose process was killed. Returns the point at which it stopped, if it did not finish. */
async function continueRun(run: number, store: BoardStore): Promise<string | undefined> {
  const place = join(folder, String(run));
  const point = existsSync(join(place, 'died')) ? readFileSync(join(place, 'died'), 'utf8') : undefined;
  const board = await openTestBoard(store, place);
  try {
    const session = openSession(board.store, `talk ${run}`);
    // A run that died before anything was stored starts again.
    const result = await runAgent(makeAgent(), QUESTION, { board, run: `r${run}`, session });
    if (point !== undefined) checkEnd(result, { point, place });
    expect((await session.read()).messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool assistant tool assistant',
    );
    expect(await board.runs.get(`r${run}`)).toMatchObject({ status: 'completed', session: `talk ${run}` });
  } finally {
    await board.close();
  }
  return point;
}

function checkEnd(result: AgentResult, { point, place }: { readonly point: string; readonly place: string }): void {
  const effects = effectsIn(place);
  const told = new Map(result.text.split(', ').map((one) => one.split(': ') as [string, string]));
  // A run whose end was stored before its process died has no other text.
  expect([point, result.outcome, [...told.keys()]]).toEqual([
    point,
    'completed',
    ['look', 'put', 'pay', 'send', 'post'],
  ]);
  for (const name of ['send', 'post']) {
    // Never twice; and if it ran or may have run, the model was informed.
    expect([point, name, effects.get(name)?.times ?? 0]).toEqual([
      point,
      name,
      told.get(name) === 'unknown' ? expect.toBeOneOf([0, 1]) : 1,
    ]);
  }
  for (const name of ['look', 'put', 'pay'])
    expect([point, name, told.get(name)]).toEqual([point, name, `${name} done`]);
  expect(effects.get('pay')).toMatchObject({ keys: 1 });
  // At most one call was running when the process died.
  expect([...effects.values()].filter(({ times }) => times > 1).length).toBeLessThanOrEqual(1);
  expect(result.usage.totalTokens).toBe(45);
  expect(result.usage.uncounted).toBeLessThanOrEqual(1);
}

describe.each(['SQLite', 'PostgreSQL'])('on %s', (driver) => {
  it(
    'resumes from every point at which its process can be killed, and runs no write tool twice',
    driver === 'SQLite' ? {} : needs('postgresql'),
    async () => {
      const server = driver === 'SQLite' ? undefined : await startPostgres();
      onTestFinished(() => server?.close());
      const url = server?.url;
      // Both drivers pass the same points; PostgreSQL stops at every third one.
      const [runs, stride] = driver === 'SQLite' ? [30, 1] : [10, 3];
      const env = { ...process.env, ...(url === undefined ? {} : { TEST_STORE: url }) };
      const killed = promisify(execFile)(process.execPath, [HELPER, folder, String(runs), String(stride)], { env });
      await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
      const store = openBoardStore({ folder, url });
      onTestFinished(() => store.close());
      const points: string[] = [];
      for (let run = 1; run <= runs; run++) {
        const point = await continueRun(run, store);
        if (point !== undefined) points.push(point);
      }
      // Some runs finished, so all points were covered.
      expect(points.length).toBeLessThan(runs);
      if (stride === 1)
        for (const name of ['look', 'put', 'pay', 'send', 'post']) expect(points).toContain(`after ${name}`);
    },
  );
});

/** Cancels a run in the middle of a call that never returns. */
function abortAndHang(stop: AbortController): Promise<never> {
  stop.abort();
  return new Promise(() => {});
}

describe('a stored run', () => {
  it('returns its answer again after its end, and stores none of its values', async () => {
    const board = await open([fakeTool({ name: 'look', risk: 'read' }, 'sesame seeds')]);
    const agent = defineAgent({
      name: 'a',
      model: scriptedModel([{ calls: [{ name: 'look', input: { at: 'barley' } }] }, 'All there.']),
    });
    const first = await runAgent(agent, 'Is the wheat there?', { board, run: 'stock' });
    expect(first).toMatchObject({ ok: true, text: 'All there.', steps: [{ number: 1 }, { number: 2 }] });
    const again = await runAgent(agent, 'Is the wheat there?', { board, run: 'stock' });
    expect(again).toMatchObject({ ok: true, output: 'All there.', steps: [], usage: first.usage });
    await expect(runAgent(agent, 'Another question', { board, run: 'stock' })).rejects.toMatchObject({
      code: 'already_exists',
      message:
        'There is a run "stock" of the agent "a" with other input. Resume it (in code: resumeRun, at a terminal: pegboard runs resume), or choose another id.',
    });
    expect(await board.runs.get('stock')).toMatchObject({
      status: 'completed',
      text: 'All there.',
      steps: [
        { number: 1, calls: [{ tool: 'look', outcome: 'ok' }] },
        { number: 2, calls: [] },
      ],
    });
    expect((await board.store.status()).spaces).toMatchObject({ 'agent-runs': 1 });
    expect((await board.store.status()).spaces).not.toHaveProperty('agent-runs-log');
  });

  it('belongs to its caller: only that caller gets its answer and resumes it', async () => {
    const callers: unknown[] = [];
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      schema: { type: 'object' },
      execute: (_, context) => callers.push(clientOf(context).user),
    });
    const board = await open([look]);
    const stop = new AbortController();
    const model = scriptedModel([() => abortAndHang(stop), { calls: [{ name: 'look' }] }, 'The mail of Ada.']);
    const agent = defineAgent({ name: 'a', model });
    const options = { board, run: 'mail', context: { caller: 'ada' } };
    await runAgent(agent, 'Read my mail.', { ...options, signal: stop.signal });
    const other = { code: 'already_exists', message: expect.stringContaining('of another caller') };
    const asBob = { ...options, context: { caller: 'bob' } };
    await expect(runAgent(agent, 'Read my mail.', asBob)).rejects.toMatchObject(other);
    await expect(resumeRun(board, 'mail', { agent, context: asBob.context })).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'The run "mail" does not belong to the caller "bob".',
    });
    expect(await resumeRun(board, 'mail', { agent })).toMatchObject({ ok: true, text: 'The mail of Ada.' });
    expect(callers).toEqual(['ada']);
    await expect(runAgent(agent, 'Read my mail.', asBob)).rejects.toMatchObject(other);
    await expect(runAgent(agent, 'Read my mail.', { ...options, context: {} })).rejects.toMatchObject(other);
    await expect(runAgent(agent, 'Hm.', { ...asBob, run: 'mail/1.1' })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });

  it('is sealed, with large values and bytes in it', async () => {
    const stop = new AbortController();
    const long = 'sesame '.repeat(100_000);
    const tools = [
      fakeTool({ name: 'look', risk: 'read', maxOutput: 1_000_000 }, long),
      fakeTool({ name: 'halt', risk: 'read' }, () => stop.abort()),
    ];
    const board = await open(tools);
    const picture = new Uint8Array([1, 2, 255]);
    const input = [
      {
        role: 'user' as const,
        content: [
          { type: 'file' as const, data: picture, mediaType: 'image/png' },
          { type: 'text' as const, text: 'sesame?' },
        ],
      },
    ];
    const script = scriptedModel([{ calls: [{ name: 'look' }] }, { calls: [{ name: 'halt' }] }]);
    const stopped = await runAgent(defineAgent({ name: 'a', model: script }), input, {
      board,
      run: 'r',
      signal: stop.signal,
    });
    expect(stopped).toMatchObject({ ok: false, outcome: 'cancelled' });
    expect((await board.store.status()).spaces['agent-runs-log']).toBeGreaterThan(1);
    expect(readFileSync(join(folder, 'board.db')).includes('sesame')).toBe(false);
    const seen = scriptedModel([{ calls: [], text: 'Done' }]);
    const other = await open(tools.slice(0, 1).concat(fakeTool({ name: 'halt', risk: 'read' }, 'halted')));
    const result = await resumeRun(other, 'r', { agent: defineAgent({ name: 'a', model: seen }) });
    expect(result).toMatchObject({ ok: true, text: 'Done', steps: [{ calls: [{ result: { text: long } }] }, {}, {}] });
    expect(JSON.stringify(seen.requests[0]?.options.prompt.slice(0, 1))).toContain('"0":1,"1":2,"2":255');
    expect((await board.store.status()).spaces).not.toHaveProperty('agent-runs-log');
  });

  it('is run by one process at a time: a second one learns who holds it', async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const hold = fakeTool({ name: 'hold' }, async () => {
      begun.resolve();
      await end.promise;
      return 'held';
    });
    const board = await open([hold]);
    const agent = defineAgent({ name: 'a', model: scriptedModel([{ calls: [{ name: 'hold' }] }, 'Done']) });
    const run = runAgent(agent, 'Hold', { board, run: 'r' });
    await begun.promise;
    expect(await listRuns(board, { status: 'running' })).toMatchObject([
      { id: 'r', holder: expect.stringContaining(`process ${process.pid} on `) },
    ]);
    expect((await board.runs.get('r'))?.steps).toEqual([{ number: 1, calls: [{ tool: 'hold', outcome: 'started' }] }]);
    await expect(resumeRun(await open([hold]), 'r', { agent })).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(
        /^The run "r" is in progress in process \d+ on \S+\. Wait for its end, or cancel it: pegboard runs cancel r$/,
      ),
    });
    end.resolve();
    expect((await run).text).toBe('Done');
  });

  it('ends permanently when another process cancels it', async () => {
    const begun = Promise.withResolvers<void>();
    const hold = fakeTool({ name: 'hold' }, () => {
      begun.resolve();
      return new Promise(() => {});
    });
    const board = await open([hold]);
    const agent = defineAgent({ name: 'a', model: scriptedModel([{ calls: [{ name: 'hold' }] }]) });
    const run = runAgent(agent, 'Hold', { board, run: 'r' });
    await begun.promise;
    const other = await open();
    expect(await other.runs.cancel('r')).toMatchObject({ status: 'cancelled' });
    expect(await run).toMatchObject({ ok: false, outcome: 'cancelled' });
    expect(await resumeRun(other, 'r', { agent })).toMatchObject({ ok: false, outcome: 'cancelled' });
    expect(await other.runs.cancel('nothing')).toBeUndefined();
  });

  it('resumes when its model is available again, with its remaining steps', async () => {
    const board = await open([fakeTool({ name: 'look', risk: 'read' }, 'seen')]);
    const away = Object.assign(new Error('gone'), { statusCode: 503 });
    const failing = scriptedModel([{ calls: [{ name: 'look' }] }, away, away, away, away]);
    const options = { name: 'a', maxSteps: 2, modelRetries: 0 };
    expect(await runAgent(defineAgent({ ...options, model: failing }), 'Look', { board, run: 'r' })).toMatchObject({
      outcome: 'model_failed',
    });
    expect(await listRuns(board, { status: 'interrupted' })).toMatchObject([
      { id: 'r', reason: expect.stringContaining('gone') },
    ]);
    const model = scriptedModel([{ calls: [{ name: 'look', input: { at: 'x' } }] }]);
    const result = await resumeRun(board, 'r', { agent: defineAgent({ ...options, model }) });
    expect(result).toMatchObject({
      ok: false,
      outcome: 'max_steps',
      steps: [{ number: 1 }, { number: 2 }],
      usage: { totalTokens: 30, uncounted: 1 },
    });
    model.assertDone();
  });

  it('resumes the sub-agent instead of starting it again', async () => {
    const calls: string[] = [];
    const stop = new AbortController();
    const tool = (name: string, given: () => unknown): Tool =>
      defineTool({ name, description: name, schema: { type: 'object' }, execute: () => (calls.push(name), given()) });
    const board = await open([tool('first', () => 'one'), tool('second', () => abortAndHang(stop))]);
    const below = (model: ReturnType<typeof scriptedModel>) =>
      defineAgent({ name: 'below', model, tools: ['first', 'second'] });
    const above = (own: ReturnType<typeof scriptedModel>, other: ReturnType<typeof scriptedModel>) =>
      defineAgent({ name: 'above', model: own, agents: [below(other)], tools: [] });
    const script = above(
      scriptedModel([{ calls: [{ name: 'below', input: { task: 'Both' } }] }]),
      scriptedModel([{ calls: [{ name: 'first' }] }, { calls: [{ name: 'second' }] }]),
    );
    expect(await runAgent(script, 'Go', { board, run: 'r', signal: stop.signal })).toMatchObject({
      outcome: 'cancelled',
    });
    expect(await listRuns(board, { parent: 'r' })).toMatchObject([
      { id: 'r/1.1', agent: 'below', status: 'interrupted' },
    ]);
    await expect(resumeRun(board, 'r/1.1')).rejects.toMatchObject({
      message: 'The run "r/1.1" belongs to a call of the run "r". Resume that one.',
    });
    const rest = above(
      scriptedModel([({ results }) => `It said: ${results[0]?.text}`]),
      scriptedModel([
        ({ results }) => `second was ${results[0]?.text.includes('It is unknown') ? 'unknown' : 'known'}`,
      ]),
    );
    const result = await resumeRun(board, 'r', { agent: rest });
    expect(result).toMatchObject({ ok: true, text: 'It said: second was unknown', usage: { totalTokens: 75 } });
    expect(calls).toEqual(['first', 'second']);
    expect((await board.runs.get('r'))?.steps[0]?.calls).toEqual([{ tool: 'below', outcome: 'ok', run: 'r/1.1' }]);
  });

  it('repeats a call that has read its idempotency key, with the same key', async () => {
    const keys: unknown[] = [];
    const stop = new AbortController();
    const pay = (after: () => unknown): Tool =>
      defineTool({
        name: 'pay',
        description: 'Pay',
        schema: { type: 'object' },
        execute: (_, context) => (keys.push(context.idempotencyKey), after()),
      });
    const board = await open([pay(() => new Promise((resolve) => setImmediate(() => resolve(stop.abort()))))]);
    const model = scriptedModel([{ calls: [{ name: 'pay' }] }]);
    await runAgent(defineAgent({ name: 'a', model }), 'Pay', { board, run: 'r', signal: stop.signal });
    const other = await open([pay(() => 'paid')]);
    const agent = defineAgent({ name: 'a', model: scriptedModel([({ results }) => String(results[0]?.text)]) });
    expect(await resumeRun(other, 'r', { agent })).toMatchObject({ text: 'paid' });
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
  });

  it('streams only new events', async () => {
    const stop = new AbortController();
    const board = await open([fakeTool({ name: 'halt', risk: 'read' }, () => abortAndHang(stop))]);
    const model = scriptedModel([{ text: 'Let me see.', calls: [{ name: 'halt' }] }]);
    await streamAgent(defineAgent({ name: 'a', model }), 'Go', { board, run: 'r', signal: stop.signal }).result;
    const other = await open([fakeTool({ name: 'halt', risk: 'read' }, 'halted')]);
    const events: AgentEvent[] = [];
    const stream = streamRun(other, 'r', {
      agent: defineAgent({ name: 'a', model: scriptedModel(['It is there.']) }),
      onEvent: (event) => events.push(event),
    });
    let text = '';
    for await (const piece of stream.text) text += piece;
    expect(text).toBe('It is there.');
    expect(events.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([
      'run-start',
      'resumed',
      'call-start',
      'call-end',
      'step-start',
      'step-end',
      'run-end',
    ]);
  });

  it('needs a board with a store, an agent and a known id', async () => {
    const agent = defineAgent({ name: 'a', model: scriptedModel([]) });
    await expect(runAgent(agent, 'Hi', { run: 'r' })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: 'RunOptions.run needs a board of openBoard, which has a store for runs.',
    });
    const board = await open();
    await expect(resumeRun(board, 'r')).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no run "r". List the runs with pegboard runs list.',
    });
    await expect(runAgent(agent, 'Hi', { board, run: 'a b' })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: `A run's id is 1 to 128 of A-Z a-z 0-9 _ . : @ -; got "a b".`,
    });
    await runAgent(agent, 'Hi', { board, run: 'r' }).catch(() => undefined);
    await expect(resumeRun(board, 'r')).rejects.toMatchObject({
      code: 'not_found',
      message: `The agent "a" of the run "r" is not in the board's files. Pass it: resumeRun(board, 'r', { agent })`,
    });
    await expect(resumeRun(board, 'r', { agent: defineAgent({ name: 'b' }) })).rejects.toMatchObject({
      message: 'The run "r" belongs to the agent "a"; got the agent "b".',
    });
  });

  it('ends when approval is needed, and resumes in another process with the answers', async () => {
    const ran: string[] = [];
    const tool = (name: string, risk: 'read' | 'write'): Tool =>
      defineTool({
        name,
        description: name,
        risk,
        schema: { type: 'object' },
        execute: () => (ran.push(name), `${name} done`),
      });
    const tools = [tool('look', 'read'), tool('send', 'write'), tool('post', 'write')];
    const openAsking = async (): Promise<Board> => {
      const board = await openBoard([], { tools, data: folder, policy: { approval: { global: 'write' } } });
      onTestFinished(() => board.close());
      return board;
    };
    const below = (model: ReturnType<typeof scriptedModel>) => defineAgent({ name: 'below', model, tools: ['post'] });
    const script = { calls: [{ name: 'look' }, { name: 'send' }, { name: 'below', input: { task: 'Post' } }] };
    const board = await openAsking();
    const agent = defineAgent({
      name: 'a',
      model: scriptedModel([script]),
      tools: ['look', 'send'],
      agents: [below(scriptedModel([{ calls: [{ name: 'post' }] }]))],
    });
    const first = await runAgent(agent, 'Go', { board, run: 'r', onApproval: 'suspend' });
    expect(first).toMatchObject({
      ok: false,
      outcome: 'waiting',
      waitingFor: [expect.any(String), expect.any(String)],
    });
    expect(ran).toEqual(['look']);
    expect(await listRuns(board, { status: 'waiting' })).toMatchObject([{ id: 'r', waitingFor: expect.any(Array) }]);
    // The agent is a tool that may change things: the first approval is for the agent, the second for its call.
    const other = await openAsking();
    const continueRun = async (...answers: readonly Parameters<typeof scriptedModel>[0][]): Promise<AgentResult> =>
      resumeRun(await openAsking(), 'r', {
        agent: defineAgent({
          name: 'a',
          model: scriptedModel(answers[0] ?? []),
          tools: ['look', 'send'],
          agents: [below(scriptedModel(answers[1] ?? []))],
        }),
        onApproval: 'suspend',
      });
    expect(await continueRun()).toMatchObject({
      outcome: 'waiting',
      waitingFor: first.outcome === 'waiting' ? first.waitingFor : [],
    });
    for (const { id, tool: asked } of await other.approvals.list())
      await other.approvals.answer(id, asked === 'send' ? { allow: false, reason: 'Not today' } : { allow: true });
    const second = await continueRun([], [{ calls: [{ name: 'post' }] }]);
    expect(second).toMatchObject({ outcome: 'waiting', waitingFor: [expect.any(String)] });
    expect((await board.runs.get('r'))?.steps[0]?.calls).toEqual([
      { tool: 'look', outcome: 'ok' },
      { tool: 'send', outcome: 'permission_denied' },
      { tool: 'below', outcome: 'waiting', run: 'r/1.3' },
    ]);
    const said = ({ results }: { readonly results: readonly { readonly text: string }[] }): string =>
      results.map(({ text }) => text).join(' | ');
    // The approval of the agent still counts: only its call was asked again.
    for (const { id } of await other.approvals.list()) await other.approvals.answer(id, { allow: true });
    const last = await continueRun([said], [said]);
    expect(last).toMatchObject({ ok: true, text: expect.stringMatching(/^look done \| .*Not today.* \| post done$/) });
    expect(ran).toEqual(['look', 'post']);
  });
});
