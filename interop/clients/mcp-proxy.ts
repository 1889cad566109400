import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Connection, InteropClient, Target } from '../client.ts';
import { waitForWords } from '../board.ts';
import { openV2 } from './sdk-v2.ts';

const base = {
  package: 'mcp-proxy',
  ways: ['stdio'],
  lacks: {
    elicitation: 'Questions do not cross the proxy, as its README says.',
    tasks: 'The proxy says that the server has tasks, and fails to make one.',
  },
} as const;

/** mcp-proxy in front of the board, with stateless clients. */
export const mcpProxy: InteropClient = {
  ...base,
  name: 'mcp-proxy',
  open: (target) => openProxy(target, 'auto'),
};

/** mcp-proxy in front of the board, with clients that shake hands. */
export const mcpProxyLegacy: InteropClient = {
  ...base,
  name: 'mcp-proxy, with a handshake',
  open: (target) => openProxy(target, 'legacy'),
};

/** Starts the proxy, which starts the board, and connects the official SDK to the proxy. */
async function openProxy(target: Target, mode: 'auto' | 'legacy'): Promise<Connection> {
  const packageFile = createRequire(import.meta.url).resolve('mcp-proxy/package.json');
  const script = join(dirname(packageFile), 'dist/bin/mcp-proxy.mjs');
  const port = await findFreePort();
  const upstream = mode === 'auto' ? 'modern' : 'legacy';
  const options = ['--host', '127.0.0.1', '--port', String(port), '--upstreamProtocol', upstream];
  const child = spawn(process.execPath, [script, ...options, '--', target.command, ...target.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    await waitForWords(child, /starting server on port/);
    await waitForPort(port);
    const url = `http://127.0.0.1:${port}/mcp`;
    const connection = await openV2({ ...target, url, headers: {} }, 'http', { mode });
    const close = async (): Promise<void> => {
      await connection.close();
      child.kill();
    };
    return { ...connection, close };
  } catch (error) {
    child.kill();
    throw error;
  }
}

/** The proxy says that it starts before it listens. */
async function waitForPort(port: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const socket = connect({ port, host: '127.0.0.1' });
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      socket.destroy();
    }
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
