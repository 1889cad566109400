// Answers to calls that a stopping server cuts off.
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answerOf, messagesOf, modern, openSession, post, textOf } from './http-client.test-helper.ts';
import { AUTHORIZATION, placeBoard, startHttp, startServe, TOKEN, waitForText } from './serve-process.test-helper.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

const board = (grace: string): string => `
serve: { limits: { grace: ${grace} } }
tools:
  - name: wait
    type: run
    description: Waits for a file
    timeout: 10m
    schema: { properties: { folder: { type: string } } }
    commands: [{ cmd: sh, args: [-c, 'touch "$0/started"; until [ -e "$0/go" ]; do sleep 0.05; done; echo done', '{{folder}}'] }]
`;

function place(grace: string) {
  const placed = placeBoard(board(grace));
  cleanUp.push(placed.remove);
  return placed;
}

const STOPPED =
  'The server stopped before the call was done. It may have had effects; call again when the server is back.';
const hasStarted = async (folder: string): Promise<void> => {
  await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 60_000 }).toBe(true);
};

describe('a call that is cut off', () => {
  it.for(['stateless', 'of a session'])('gets an error, %s', async (kind) => {
    const { file, folder } = place('1ms');
    const { child, url } = await startHttp([file, '--token', TOKEN]);
    cleanUp.push(() => void child.kill('SIGKILL'));
    const params = { name: 'wait', arguments: { folder } };
    const session = kind === 'stateless' ? {} : await openSession(url, AUTHORIZATION);
    const call =
      kind === 'stateless'
        ? modern(url, { method: 'tools/call', params }, AUTHORIZATION)
        : post(url, { id: 1, method: 'tools/call', params }, session);
    const answer = answerOf(call);
    await hasStarted(folder);
    child.kill('SIGTERM');
    expect(await answer).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: STOPPED } });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('gets an error over stdio, on a signal and at the end of the input', async () => {
    for (const [end, why] of [
      ['signal', 'The server stopped'],
      ['input', 'The input ended'],
    ] as const) {
      const { file, folder } = place('1ms');
      const child = startServe([file]);
      cleanUp.push(() => void child.kill('SIGKILL'));
      const answered = waitForText(child.stdout, /"id":7.*\n/);
      const initialize = { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };
      const call = { id: 7, method: 'tools/call', params: { name: 'wait', arguments: { folder } } };
      for (const message of [initialize, call])
        child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      await hasStarted(folder);
      if (end === 'signal') child.kill('SIGTERM');
      else child.stdin?.end();
      const [, line = ''] = (await answered).trim().split('\n');
      const message = `${why} before the call was done. It may have had effects.`;
      expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32603, message } });
      expect(await once(child, 'exit')).toEqual([0, null]);
    }
  });
});

describe('a call in flight when the server stops', () => {
  it('has the grace time to end, and new ones are refused meanwhile', async () => {
    const { file, folder } = place('10m');
    const { child, url } = await startHttp([file, '--token', TOKEN]);
    cleanUp.push(() => void child.kill('SIGKILL'));
    const session = await openSession(url, AUTHORIZATION);
    const messages = messagesOf(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
    const call = modern(url, { method: 'tools/call', params: { name: 'wait', arguments: { folder } } }, AUTHORIZATION);
    await hasStarted(folder);
    child.kill('SIGTERM');
    // Streams of no request end first.
    for await (const message of messages) expect(message).toBeUndefined();
    writeFileSync(join(folder, 'go'), '');
    expect(textOf(await answerOf(call))).toBe('done\n');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('has it over stdio too', async () => {
    const { file, folder } = place('10m');
    const child = startServe([file]);
    cleanUp.push(() => void child.kill('SIGKILL'));
    const send = (message: object): void =>
      void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } });
    send({ id: 7, method: 'tools/call', params: { name: 'wait', arguments: { folder } } });
    await hasStarted(folder);
    const refused = waitForText(child.stdout, /is stopping/);
    child.kill('SIGTERM');
    // Requests before the signal is taken are answered; one after it is refused.
    let count = 100;
    const ask = setInterval(() => send({ id: ++count, method: 'ping' }), 20);
    await refused;
    clearInterval(ask);
    const answered = waitForText(child.stdout, /"id":7.*\n/);
    writeFileSync(join(folder, 'go'), '');
    expect(await answered).toContain('done');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
