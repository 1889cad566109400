import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Board } from '../../board/board.ts';
import { openBoard } from '../../board/open-board.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { fakeTool } from '../../testing/fake-tool.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineAgent } from '../define/define-agent.ts';
import type { AgentEvent } from '../loop/agent-event.ts';
import type { AgentResult } from '../loop/agent-result.ts';
import { runAgent } from '../loop/run-agent.ts';
import { streamAgent } from '../loop/stream-agent.ts';
import { openSession } from '../session/agent-session.ts';
import { makeAgent, openTestBoard, QUESTION } from './kept-run.test-helper.ts';
import { listRuns, resumeRun, streamRun } from './resume-run.ts';

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

/** How often a tool ran, and with how many keys. */
function effectsIn(place: string): Map<string, { readonly times: number; readonly keys: number }> {
  const lines = existsSync(join(place, 'effects'))
    ? readFileSync(join(place, 'effects'), 'utf8').trim().split('\n')
    : [];
  const groups = Map.groupBy(lines, (line) => line.split(' ')[0] ?? '');
  return new Map([...groups].map(([name, all]) => [name, { times: all.length, keys: new Set(all).size }]));
}

/** Goes on with a run whose process was killed. Gives the point at which it stopped; nothing where it came to its end. */
async function goOn(run: number, store: BoardStore): Promise<string | undefined> {
  const place = join(folder, String(run));
  const point = existsSync(join(place, 'died')) ? readFileSync(join(place, 'died'), 'utf8') : undefined;
  const board = await openTestBoard(store, place);
  try {
    const session = openSession(board.store, `talk ${run}`);
    // One that died before anything of the run was kept starts anew.
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
  // A run whose end was kept before its process died has no other text.
  expect([point, result.outcome, [...told.keys()]]).toEqual([
    point,
    'completed',
    ['look', 'put', 'pay', 'send', 'post'],
  ]);
  for (const name of ['send', 'post']) {
    // Never twice; and where it ran, or may have run, the model was told so.
    expect([point, name, effects.get(name)?.times ?? 0]).toEqual([
      point,
      name,
      told.get(name) === 'unknown' ? expect.toBeOneOf([0, 1]) : 1,
    ]);
  }
  for (const name of ['look', 'put', 'pay'])
    expect([point, name, told.get(name)]).toEqual([point, name, `${name} done`]);
  expect(effects.get('pay')).toMatchObject({ keys: 1 });
  // At most one call was under way when the process died.
  expect([...effects.values()].filter(({ times }) => times > 1).length).toBeLessThanOrEqual(1);
  expect(result.usage.totalTokens).toBe(45);
  expect(result.usage.uncounted).toBeLessThanOrEqual(1);
}

it('goes on from every point at which its process can be killed, and runs no write tool twice', async () => {
  const runs = 30;
  const killed = promisify(execFile)(process.execPath, [HELPER, folder, String(runs)]);
  await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
  const store = openBoardStore({ folder });
  onTestFinished(() => store.close());
  const points: string[] = [];
  for (let run = 1; run <= runs; run++) {
    const point = await goOn(run, store);
    if (point !== undefined) points.push(point);
  }
  // Some came to their end: there is no further point.
  expect(points.length).toBeLessThan(runs);
  for (const name of ['look', 'put', 'pay', 'send', 'post']) expect(points).toContain(`after ${name}`);
});
