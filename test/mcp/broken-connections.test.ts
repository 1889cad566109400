// Clients whose connection to a board breaks in the middle of a call, and comes back.
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it, onTestFinished } from 'vitest';
import { defineTool, openBoard, ToolRegistry } from '../../src/index.ts';
import { McpServer, serveHttp } from '../../src/mcp.ts';

/** A board behind a wire that can be cut; its tool ends when it is told to. */
async function serveOverWire() {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let calls = 0;
  const registry = new ToolRegistry().register(
    defineTool({
      name: 'work',
      description: 'Works',
      schema: { type: 'object', properties: {} },
      timeout: 600_000,
      async execute(_input, context) {
        calls++;
        context.progress(1, 2);
        context.log.info('begun');
        begun.resolve();
        await released.promise;
        return 'Done.';
      },
    }),
  );
  const http = await serveHttp(new McpServer({ registry }), { port: 0, token: false, grace: 50 });
  const sockets = new Set<Socket>();
  let outage = 0;
  const wire = createServer((near) => {
    if (outage > 0) {
      outage--;
      near.destroy();
      return;
    }
    const far = connect(http.port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  /** Ends every connection, and those of the next attempts. */
  const cut = (attempts = 0): void => {
    outage = attempts;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    cut();
    wire.close();
    await http.close();
  });
  // A server that listens on a port has an address of this kind.
  const url = new URL(`http://127.0.0.1:${(wire.address() as AddressInfo).port}/mcp`);
  return { url, cut, begun: begun.promise, release: () => released.resolve(), calls: () => calls };
}

type Wire = Awaited<ReturnType<typeof serveOverWire>>;

const info = { name: 'test', version: '1.0.0' };
const reconnectionOptions = {
  initialReconnectionDelay: 20,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100,
};

const CLIENTS: Readonly<Record<string, (wire: Wire, heard: () => void) => Promise<string>>> = {
  async 'the v1 SDK'({ url }, heard) {
    const client = new ClientV1(info);
    await client.connect(new HttpV1(url, { reconnectionOptions }));
    const result = await client.callTool({ name: 'work' }, undefined, { onprogress: heard });
    return JSON.stringify(result);
  },
  async 'the v2 SDK with a handshake'({ url }, heard) {
    const client = new ClientV2(info, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new HttpV2(url, { reconnectionOptions }));
    return JSON.stringify(await client.callTool({ name: 'work' }, { onprogress: heard }));
  },
  async 'another board'({ url }, heard) {
    const folder = mkdtempSync(join(tmpdir(), 'wire-'));
    const file = join(folder, 'pegboard.yaml');
    writeFileSync(file, JSON.stringify({ mcpServers: { far: { url: url.href, protocol: '2025-11-25' } } }));
    const board = await openBoard(file);
    onTestFinished(async () => {
      await board.close();
      rmSync(folder, { recursive: true });
    });
    return (await board.call('far__work', {}, { onProgress: heard })).text;
  },
};

it.for(Object.entries(CLIENTS))('%s gets the answer to a call that was made once', async ([, call]) => {
  const wire = await serveOverWire();
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = call(wire, resolve);
  await Promise.all([wire.begun, promise]);
  wire.cut(1);
  wire.release();
  expect(await answer).toContain('Done.');
  expect(wire.calls()).toBe(1);
});
