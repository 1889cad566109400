import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { fakeTool } from '../../testing/fake-tool.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { createMemorySession, openSession } from '../session/agent-session.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import { defineAgent } from '../define/define-agent.ts';
import { runAgent } from './run-agent.ts';

let folder: string;
let store: BoardStore;
const children = new Set<ChildProcessByStdio<Writable, Readable, null>>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-turns-'));
  store = openBoardStore({ folder });
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = ({ content }: ModelMessage): string => (typeof content === 'string' ? content : JSON.stringify(content));
const said = (messages: readonly ModelMessage[]): string =>
  messages
    .map((message) => `${message.role}: ${/(?:Question|Answer)[^"]*/.exec(textOf(message))?.[0] ?? '…'}`)
    .join(' | ');

/** Runs a turn in its own process and reads its output line by line. */
function talk(question: string) {
  const helper = join(import.meta.dirname, 'talk.test-helper.ts');
  const child = spawn(process.execPath, [helper, folder, 's', question], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, next: async () => (await lines.next()).value, go: () => child.stdin.write('go\n') };
}

it('runs turns of one process in order, each with the whole conversation', async () => {
  const session = openSession(store, 's');
  const model = scriptedModel([
    { calls: [{ name: 'look' }] },
    'Answer one',
    ({ options }) => {
      expect(options.prompt).toHaveLength(5);
      return 'Answer two';
    },
  ]);
  const agent = defineAgent({ name: 'a', model });
  const board = new ToolRegistry().register(fakeTool({ name: 'look' }, 'seen'));
  const waited: string[] = [];
  const [one, two] = await Promise.all([
    runAgent(agent, 'Question one', { board, session }),
    // Opened a second time: turns are ordered per session, not per handle.
    runAgent(agent, 'Question two', {
      board,
      session: openSession(store, 's'),
      onEvent: (event) => event.type === 'waiting' && waited.push(event.session),
    }),
  ]);
  expect([one.text, two.text, waited]).toEqual(['Answer one', 'Answer two', ['s']]);
  expect(said((await session.read()).messages)).toBe(
    'user: Question one | assistant: … | tool: … | assistant: Answer one | user: Question two | assistant: Answer two',
  );
});

it('runs turns of several processes in order', async () => {
  const first = talk('Question one');
  expect([await first.next(), await first.next()]).toEqual(['starts after 0 messages', 'holding']);
  const second = talk('Question two');
  expect(await second.next()).toBe('waiting');
  first.go();
  expect(await first.next()).toBe('done');
  expect([await second.next(), await second.next()]).toEqual(['starts after 4 messages', 'holding']);
  second.go();
  expect(await second.next()).toBe('done');
  expect(said((await openSession(store, 's').read()).messages)).toBe(
    'user: Question one | assistant: … | tool: … | assistant: Answer to Question one | user: Question two | assistant: … | tool: … | assistant: Answer to Question two',
  );
});

it('does not wait for a process that was killed in the middle of its turn', async () => {
  const { child, next } = talk('Question one');
  expect([await next(), await next()]).toEqual(['starts after 0 messages', 'holding']);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const events: string[] = [];
  const agent = defineAgent({ name: 'a', model: scriptedModel(['Answer two']) });
  const options = { session: openSession(store, 's'), onEvent: ({ type }: { type: string }) => events.push(type) };
  expect(await runAgent(agent, 'Question two', options)).toMatchObject({ ok: true });
  expect(events).not.toContain('waiting');
});

it.each(['kept', 'in memory'])(
  'stops waiting when it is cancelled, and lets the next one continue (%s)',
  async (kind) => {
    const session = kind === 'kept' ? openSession(store, 's') : createMemorySession();
    const stop = new AbortController();
    const release = Promise.withResolvers<string>();
    const model = scriptedModel([() => release.promise, 'Answer three']);
    const agent = defineAgent({ name: 'a', model });
    const first = runAgent(agent, 'Question one', { session });
    const onEvent = ({ type }: { type: string }): void => void (type === 'waiting' && stop.abort());
    const second = runAgent(agent, 'Question two', { session, signal: stop.signal, onEvent });
    const third = runAgent(agent, 'Question three', { session });
    expect(await second).toMatchObject({ ok: false, outcome: 'cancelled', steps: [], usage: { totalTokens: 0 } });
    release.resolve('Answer one');
    await first;
    expect(await third).toMatchObject({ ok: true, text: 'Answer three' });
    expect(said((await session.read()).messages)).not.toContain('Question two');
  },
);

it('rejects a run that would wait for itself', async () => {
  const session = openSession(store, 's');
  const other = openBoardStore({ folder });
  const inner = defineAgent({ name: 'inner', model: scriptedModel([]) });
  const board = new ToolRegistry().registerMany([
    fakeTool({ name: 'same' }, () => runAgent(inner, 'x', { session })),
    fakeTool({ name: 'again' }, () => runAgent(inner, 'x', { session: openSession(other, 's') })),
  ]);
  const model = scriptedModel([{ calls: [{ name: 'same' }, { name: 'again' }] }, 'Answer']);
  const { steps } = await runAgent(defineAgent({ name: 'outer', model }), 'go', { board, session });
  await other.close();
  for (const { result } of steps[0]?.calls ?? []) {
    expect(result.text).toContain('The session "s" is in the middle of a turn, and this run was started inside it');
  }
  expect(steps[0]?.calls).toHaveLength(2);
});
