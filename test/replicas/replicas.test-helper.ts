// Replicas of one board in processes of their own, behind a balancer that picks one for each request.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { waitForText } from '../mcp/serve-process.test-helper.ts';
import { CLI, entryFile } from '../cli-program.test-helper.ts';

const TOKEN = 'a-token-of-the-replicas';
export const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

const TOOLS = `
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool } from ${JSON.stringify(entryFile('index'))};
import { peerOf } from ${JSON.stringify(entryFile('mcp'))};
const folder = import.meta.dirname;
const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const until = async (file, signal) => { while (!existsSync(join(folder, file))) { signal.throwIfAborted(); await wait(10); } };
export const write = defineTool({ name: 'write', description: 'Writes a line', risk: 'write', schema, execute({ id }) {
  appendFileSync(join(folder, 'lines'), id + '\\n');
  return id;
} });
export const job = defineTool({ name: 'job', description: 'Takes a while', risk: 'write', schema, async execute({ id }) {
  await wait(30);
  appendFileSync(join(folder, 'lines'), id + '\\n');
  return id;
} });
export const pay = defineTool({ name: 'pay', description: 'Pays once', risk: 'destructive', schema, execute({ id }) {
  appendFileSync(join(folder, 'lines'), id + '\\n');
  return id;
} });
export const work = defineTool({ name: 'work', description: 'Works until a file is there', schema, timeout: 60000, async execute({ id }, context) {
  context.log.info('begun by ' + process.pid);
  await until('go-' + id, context.signal);
  return 'done ' + id;
} });
export const ask = defineTool({ name: 'ask', description: 'Asks for a name', schema: { type: 'object', properties: {} }, async execute(_input, context) {
  const params = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
  const answer = await peerOf(context).ask({ name: { method: 'elicitation/create', params } });
  return JSON.stringify(answer);
} });
export const much = defineTool({ name: 'much', description: 'Gives much', risk: 'read', schema, execute: ({ id }) => (id + ' line\\n').repeat(50000) });
`;

const POLICY = 'policy: { approval: { global: destructive, headless: wait } }';

/** One process that serves the board. */
export interface TestReplica {
  readonly url: string;
  readonly child: ChildProcess;
  /** All that it has written to stderr. */
  readonly said: () => string;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Asks it to stop, and gives its exit code. */
  stop(): Promise<number | null>;
}

/** Writes the board's files. */
export function placeReplicaBoard(folder: string, more = ''): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tools.ts'), TOOLS);
  const file = join(folder, 'pegboard.yaml');
  const serve = 'serve: { tasks: { always: [job], clients: ["*"] }, limits: { rate: 10000, grace: 2s } }';
  writeFileSync(file, `record: summary\n${serve}\n${POLICY}\ntools: [{ type: script, file: ./tools.ts }]\n${more}`);
  return file;
}

/** Starts a replica. */
export async function startReplica(
  file: string,
  { env = {}, nodeArgs = [] }: { env?: Record<string, string>; nodeArgs?: readonly string[] } = {},
): Promise<TestReplica> {
  const args = [...nodeArgs, CLI, 'serve', '--http', '--port', '0', '--token', TOKEN, file];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const text = await waitForText(child.stderr, /at http:\S+/);
  return {
    url: /http:[^\s,]+/.exec(text)?.[0] ?? '',
    child,
    said: () => said,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
}

/** Picks a replica for each request; the next one where a connection is refused, as balancers do. Never sends a request twice. */
export async function startBalancer(
  replicas: () => readonly TestReplica[],
  random: () => number,
): Promise<{ readonly url: string; close(): void }> {
  const pass = (exchange: Exchange, left: TestReplica[]): void => {
    const { request, response, body } = exchange;
    const [target] = left.splice(Math.floor(random() * left.length), 1);
    if (target === undefined) return void response.writeHead(502).end();
    const { hostname, port } = new URL(target.url);
    const headers = { ...request.headers, host: `${hostname}:${port}` };
    const sent = sendRequest({ hostname, port, path: request.url, method: request.method, headers, agent: false });
    let isConnected = false;
    sent.once('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    sent.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    sent.once('error', () => {
      if (!isConnected) pass(exchange, left);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.once('close', () => sent.destroy());
    sent.end(body);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => pass({ request, response, body: Buffer.concat(chunks) }, [...replicas()]));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Numbers from 0 to 1 that are the same in each run with the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
