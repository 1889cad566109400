// Starts stored runs that each stop at a different point, then kills its process: node kept-run.test-helper.ts FOLDER RUNS STRIDE. The test
// imports the same parts to resume them.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openBoard } from '../../board/open-board.ts';
import type { Board } from '../../board/board.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { scriptedModel, type ScriptedReply } from '../../testing/scripted-model.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineAgent } from '../define/define-agent.ts';
import type { Agent } from '../define/agent.ts';
import { openSession } from '../session/agent-session.ts';
import { runAgent } from '../loop/run-agent.ts';

export const QUESTION = 'Do all of it.';

/** Called at each point at which a process can die; never resolves where it dies. */
export type Pass = (point: string) => Promise<void>;

/** Tools that record each execution in a file, then pass a point. */
function makeTools(folder: string, pass: Pass): Tool[] {
  const make = (name: string, given: Partial<Pick<Tool['metadata'], 'risk' | 'idempotent'>>, usesKey = false): Tool =>
    defineTool({
      name,
      description: `Does ${name}.`,
      schema: { type: 'object' },
      paths: [],
      ...given,
      async execute(_, context) {
        const key = usesKey ? ` ${context.idempotencyKey}` : '';
        appendFileSync(join(folder, 'effects'), `${name}${key}\n`);
        await pass(`after ${name}`);
        return `${name} done`;
      },
    });
  return [
    make('look', { risk: 'read' }),
    make('put', { idempotent: true }),
    make('pay', { idempotent: 'key' }, true),
    make('send', {}),
    make('post', { risk: 'destructive' }),
  ];
}

/** An agent that makes four calls, then one, then repeats their answers; it derives its progress from the conversation. */
export function makeAgent(): Agent {
  const reply = (step: number, results: readonly { readonly tool: string; readonly text: string }[]): ScriptedReply => {
    if (step === 0) return { calls: ['look', 'put', 'pay', 'send'].map((name) => ({ name, id: `${name}-1` })) };
    if (step === 1) return { calls: [{ name: 'post', id: 'post-1' }] };
    return {
      text: results.map(({ tool, text }) => `${tool}: ${text.includes('It is unknown') ? 'unknown' : text}`).join(', '),
    };
  };
  const answer = ({ options }: { readonly options: { readonly prompt: readonly object[] } }): ScriptedReply => {
    const said = options.prompt as readonly { readonly role: string; readonly content: unknown }[];
    const start = said.findLastIndex(({ role }) => role === 'user');
    const turn = said.slice(start);
    const results = turn
      .filter(({ role }) => role === 'tool')
      .flatMap(({ content }) => content as { toolName: string; output: { value: unknown } }[])
      .map(({ toolName, output }) => ({ tool: toolName, text: String(output.value) }));
    return reply(turn.filter(({ role }) => role === 'assistant').length, results);
  };
  const model = scriptedModel(Array.from({ length: 20 }, () => answer));
  return defineAgent({ name: 'doer', model, concurrency: 1 });
}

/** A store that passes a point after each transaction of a run. */
function passing(store: BoardStore, pass: Pass): BoardStore {
  let count = 0;
  return {
    address: store.address,
    space: (name) => store.space(name),
    journal: store.journal,
    bytes: store.bytes,
    signal: (channel) => store.signal(channel),
    takeLease: (name, options) => store.takeLease(name, options),
    leaseHolder: (name) => store.leaseHolder(name),
    watch: (channel, listener) => store.watch(channel, listener),
    status: () => store.status(),
    vacuum: () => store.vacuum(),
    close: () => store.close(),
    async transaction(work) {
      const result = await store.transaction(work);
      await pass(`after write ${++count}`);
      return result;
    },
  };
}

/** Opens a board for one run, on a store shared with the other runs. */
export function openTestBoard(store: BoardStore, place: string, pass: Pass = async () => {}): Promise<Board> {
  return openBoard([], { tools: makeTools(place, pass), data: dirname(place), store: passing(store, pass) });
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '', runs = '', stride = '1'] = process.argv.slice(2);
  const store = openBoardStore({ folder, url: process.env['TEST_STORE'] });
  await Promise.all(
    Array.from({ length: Number(runs) }, async (_, index) => {
      const place = join(folder, String(index + 1));
      mkdirSync(place);
      const stopped = Promise.withResolvers<void>();
      let passed = 0;
      const board = await openTestBoard(store, place, async (point) => {
        const last = index * Number(stride) + 1;
        if (++passed < last) return;
        if (passed === last) writeFileSync(join(place, 'died'), point);
        stopped.resolve();
        await new Promise(() => {});
      });
      const session = openSession(board.store, `talk ${index + 1}`);
      const run = runAgent(makeAgent(), QUESTION, { board, run: `r${index + 1}`, session });
      await Promise.race([stopped.promise, run]);
    }),
  );
  process.kill(process.pid, 'SIGKILL');
}
