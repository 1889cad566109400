// A server that reports progress is not timed out while it does.
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { fakeClock } from '../src/pipeline/fake-clock.test-helper.ts';
import { serveSessions } from './session-server.test-helper.ts';
import { openServers } from './upstream-boards.test-helper.ts';

const SECOND = 1_000;

it.for([
  ['the default', {}, 30 * SECOND],
  ['what the entry says', { timeout: '5s' }, 5 * SECOND],
  ['what it says for the tool', { timeout: '1h', tools: { work: { timeout: '5s' } } }, 5 * SECOND],
] as const)('puts the timeout off, up to ten times %s', async ([, entry, timeout]) => {
  const calls: { readonly id: number; readonly token: unknown; readonly response: ServerResponse }[] = [];
  let onCall = Promise.withResolvers<void>();
  const server = await serveSessions(
    { status: 404 },
    {
      hasStream: false,
      handle: ({ id, params: { _meta } }, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        // The board sends the token there.
        calls.push({ id, token: (_meta as { progressToken?: unknown }).progressToken, response });
        onCall.resolve();
        onCall = Promise.withResolvers();
      },
    },
  );
  server.tools = [{ name: 'work', inputSchema: { type: 'object' } }];
  const { clock, advance } = fakeClock();
  const board = await openServers({ far: { url: server.url, prefix: 'far_', ...entry } }, { clock });
  let heard = Promise.withResolvers<void>();
  /** Makes a call whose server reports progress so often, each time shortly before its timeout; the call and its time so far. */
  const work = async (from: number, reports: number): Promise<{ readonly call: ReturnType<typeof board.call> }> => {
    const reached = onCall.promise;
    const onProgress = (): void => heard.resolve();
    const call = board.call('far_work', {}, { onProgress });
    await reached;
    for (let progress = 1; progress <= reports; progress++) {
      advance(from + progress * (timeout - 1));
      heard = Promise.withResolvers();
      const params = { progressToken: calls.at(-1)?.token, progress };
      send(calls.at(-1)?.response, { method: 'notifications/progress', params });
      await heard.promise;
    }
    return { call };
  };
  const { call } = await work(0, 9);
  const { id, response } = calls.at(-1) ?? {};
  send(response, { id, result: { content: [{ type: 'text', text: 'done' }] } });
  expect((await call).text).toBe('done');
  const start = 9 * (timeout - 1);
  const endless = await work(start, 10);
  advance(start + 10 * timeout);
  const { error } = await endless.call;
  expect(error?.code).toBe('timeout');
  expect(error?.message).toContain(`did not finish within ${10 * timeout} ms, the most that progress allows,`);
});

function send(response: ServerResponse | undefined, message: object): void {
  response?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}
