// The twelve tasks, each in five ways over one board, in a process of its own: UTCP's engine wants it started without Node's snapshot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createCodeTools, toTarget } from '../../src/code/code-tools.ts';
import { createDiscoveryTools } from '../../src/discovery/meta-tools/create-discovery-tools.ts';
import { type Board, type Tool, toOpenAITools } from '../../src/index.ts';
import { Conversation, type Cost } from './conversation.ts';
import { makeBoard } from './make-board.ts';
import { openAiSdk, openUtcp, type Peer } from './open-peers.ts';
import type { MeasuredTasks, TaskWay } from './tabulate-tasks.ts';
import { type AskedCall, type Task, TASKS } from './tasks.ts';

const define = (tools: readonly Tool[]): string => JSON.stringify(toOpenAITools(tools).tools);

async function textOf(board: Board, { name, input }: AskedCall, tools: readonly Tool[] = []): Promise<string> {
  const own = tools.find(({ metadata }) => metadata.name === name);
  const result = own === undefined ? await board.call(name, input) : await board.executor.execute(own, input);
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.text;
}

async function doDirectly(board: Board, task: Task): Promise<Cost> {
  const conversation = new Conversation({
    definitions: define(board.registry.getAll()),
    prompt: task.name,
    run: (call) => textOf(board, call),
  });
  return conversation.end(await task.direct((calls) => conversation.round(calls)));
}

async function doByDiscovery(board: Board, task: Task): Promise<Cost> {
  const tools = createDiscoveryTools({ registry: board.registry, index: board.index });
  const conversation = new Conversation({
    definitions: define(tools),
    prompt: task.name,
    run: (call) => textOf(board, call, tools),
  });
  await conversation.round([{ name: 'search_tools', input: { queries: task.queries } }]);
  const through = (calls: readonly AskedCall[]): Promise<string[]> =>
    conversation.round(calls.map(({ name, input }) => ({ name: 'call_tool', input: { name, arguments: input } })));
  return conversation.end(await task.direct(through));
}

async function doByCode(board: Board, task: Task): Promise<Cost> {
  const tools = createCodeTools(toTarget(board, { registry: board.registry, index: board.index }));
  const conversation = new Conversation({
    definitions: define(tools),
    prompt: task.name,
    run: (call) => textOf(board, call, tools),
  });
  await conversation.round([{ name: 'search_tools', input: { queries: task.queries } }]);
  const [text = ''] = await conversation.round([{ name: 'run_code', input: { code: task.code } }]);
  return conversation.end(parse(text));
}

async function doByPeer(peer: Peer, task: Task): Promise<Cost> {
  const conversation = new Conversation({
    definitions: peer.definitions,
    prompt: task.name,
    run: async ({ input }) => JSON.stringify(await peer.run(String(input[peer.tool.field]))),
  });
  const input = { [peer.tool.field]: peer.translate(task.code) };
  const [text = ''] = await conversation.round([{ name: peer.tool.name, input }]);
  return conversation.end(parse(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function measureTasks(folder: string): Promise<MeasuredTasks> {
  const made = await makeBoard(folder);
  const { board } = made;
  try {
    const [aiSdk, utcp] = [await openAiSdk(board), await openUtcp(board)];
    const ways: readonly (readonly [TaskWay, (task: Task) => Promise<Cost>])[] = [
      ['direct', (task) => doDirectly(board, task)],
      ['discovery', (task) => doByDiscovery(board, task)],
      ['code', (task) => doByCode(board, task)],
      ['aiSdk', (task) => doByPeer(aiSdk, task)],
      ['utcp', (task) => doByPeer(utcp, task)],
    ];
    const tasks: MeasuredTasks['tasks'][number][] = [];
    for (const task of TASKS) {
      const costs: Partial<Record<TaskWay, Cost>> = {};
      for (const [way, work] of ways) {
        const cost = (costs[way] = await work(task));
        if (!isDeepStrictEqual(cost.answer, costs.direct?.answer))
          throw new Error(`${task.name}, ${way}: ${JSON.stringify([costs.direct?.answer, cost.answer])}`);
      }
      // Each way was gone above.
      tasks.push({ name: task.name, passesData: task.passesData, costs: costs as Record<TaskWay, Cost> });
    }
    return { tools: board.registry.size, tasks };
  } finally {
    await made.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-tasks-'));
try {
  process.send?.(await measureTasks(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
  process.disconnect?.();
}
// Some of the peers keep their threads.
process.exit(0);
