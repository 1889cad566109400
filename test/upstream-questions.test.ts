// Questions that a server asks over one connection, without saying which call each belongs to.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Elicit } from '../src/index.ts';
import { createDesk } from './fixtures/mcp/desk.ts';
import { type DeskClient, openDesk, serveDesk } from './served-desk.test-helper.ts';
import { openServers } from './upstream-boards.test-helper.ts';

/** Ten calls of each client, all at once; each call is about something of its own. */
async function askAll(clients: readonly DeskClient[], tool = 'ask'): Promise<string[]> {
  const calls = clients.flatMap(({ call }, index) =>
    Array.from({ length: 10 }, (_, number) => call(tool, { about: `client ${index} call ${number}` })),
  );
  return Promise.all(calls);
}

function expectOwnAnswers(clients: readonly DeskClient[], texts: readonly string[]): void {
  for (const [index, { asked }] of clients.entries()) {
    const own = Array.from({ length: 10 }, (_, number) => `client ${index} call ${number}`);
    expect(new Set(asked)).toEqual(new Set(own));
    expect(texts.slice(index * 10, index * 10 + 10)).toEqual(
      own.map((about) => `${about}: accept ${index} on ${about}`),
    );
  }
}

/** The desk behind HTTP, with a session for each client. */
async function serveDeskUpstream(): Promise<{ readonly url: string; readonly sessions: () => number }> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await createDesk().connect(transport);
    return transport;
  };
  const server = createServer((request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    void (async () => (known ?? (await open())).handleRequest(request, response))();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, sessions: () => transports.size };
}

const answerAs =
  (index: number) =>
  (message: string): string =>
    `${index} on ${message}`;

describe('thirty calls at once that all ask', () => {
  it.for(['legacy', 'auto'] as const)('reach three clients (%s) that share one process', async (mode) => {
    const desk = await openDesk();
    const connect = await serveDesk(desk);
    const clients = await Promise.all([0, 1, 2].map((index) => connect({ mode, answer: answerAs(index) })));
    expectOwnAnswers(clients, await askAll(clients));
    expect(desk.starts()).toHaveLength(1);
  });

  it('reach three users, each with a process', async () => {
    const desk = await openDesk();
    const users = ['alice', 'bob', 'carol'];
    const connect = await serveDesk(desk, users);
    const clients = await Promise.all(users.map((user, index) => connect({ user, answer: answerAs(index) })));
    expectOwnAnswers(clients, await askAll(clients));
    expect(desk.starts()).toHaveLength(3);
  });

  it.for(['ask', 'ask_in_call'])('reach three clients over one HTTP session of the server (%s)', async (tool) => {
    const { url, sessions } = await serveDeskUpstream();
    const board = await openServers({ desk: { url, prefix: 'desk_', protocol: '2025-11-25' } });
    const connect = await serveDesk({ board });
    const clients = await Promise.all([0, 1, 2].map((index) => connect({ answer: answerAs(index) })));
    expectOwnAnswers(clients, await askAll(clients, tool));
    expect(sessions()).toBe(1);
  });

  it('reach the code that made each', async () => {
    const { board } = await openDesk();
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const elicit: Elicit = ({ message }) => ({ action: 'accept', content: { answer: `${index} on ${message}` } });
        return board.call('desk_ask', { about: `call ${index}` }, { context: { elicit } });
      }),
    );
    expect(results.map(({ text }) => text)).toEqual(
      results.map((_, index) => `call ${index}: accept ${index} on call ${index}`),
    );
  });
});

describe('a question of a call', () => {
  it('reaches its own client while others use tools that ask nothing, and goes to no client that cannot ask', async () => {
    const desk = await openDesk();
    const connect = await serveDesk(desk);
    const [one, other, mute] = await Promise.all([
      connect({ answer: () => 'one' }),
      connect({ answer: () => 'other' }),
      connect(),
    ]);
    await Promise.all([one.call('pid'), other.call('recall'), mute.call('pid')]);
    const busy = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? other : mute).call('pid'));
    const [answer, refusal] = await Promise.all([
      one.call('ask', { about: 'tea' }),
      mute.call('ask', { about: 'coffee' }),
    ]);
    await Promise.all(busy);
    expect([answer, refusal]).toEqual(['tea: accept one', 'coffee: decline undefined']);
    expect([one.asked, other.asked]).toEqual([['tea'], []]);
  });

  it('is declined, and told in the log, where it may be for two people', async () => {
    const { board } = await openDesk();
    const logs: string[] = [];
    board.executor.on('call:log', ({ message }) => logs.push(message));
    const yes: Elicit = () => ({ action: 'accept', content: { answer: 'yes' } });
    const other: Elicit = () => ({ action: 'accept', content: { answer: 'other' } });
    await board.call('desk_maybe', { about: '' }, { context: { elicit: yes } });
    const asked = await Promise.all([
      board.call('desk_maybe', { about: 'a' }, { context: { elicit: yes } }),
      board.call('desk_maybe', { about: 'b' }, { context: { elicit: other } }),
    ]);
    expect(asked.map(({ text }) => text)).toEqual(['a: decline undefined', 'b: decline undefined']);
    expect(logs).toContain(
      'The MCP server "desk" asked a question while 2 calls of different callers were under way, and does not say which of them it belongs to. It was declined. With share: session each client has a process of its own.',
    );
    // Known from now on.
    const again = await Promise.all([
      board.call('desk_maybe', { about: 'a' }, { context: { elicit: yes } }),
      board.call('desk_maybe', { about: 'b' }, { context: { elicit: other } }),
    ]);
    expect(again.map(({ text }) => text)).toEqual(['a: accept yes', 'b: accept other']);
  });
});
