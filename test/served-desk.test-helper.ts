// A board with the desk server of the fixtures behind it, served over HTTP, and clients of the official SDK in front.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { Board, OpenBoardOptions } from '../src/index.ts';
import { McpServer, serveHttp } from '../src/mcp.ts';
import { createTokenAuthenticator, hashToken } from '../src/mcp/server/auth/token-authenticator.ts';
import { boardFolder, fixture, openFolder, readStarts } from './upstream-boards.test-helper.ts';

type Json = Readonly<Record<string, unknown>>;

/** A board that has the desk. */
export interface Desk {
  readonly board: Board;
  readonly folder: string;
  /** Writes another entry of the desk into the config. */
  write(entry: Json, ...args: readonly string[]): void;
  /** The processes that were started, in order. */
  starts(): number[];
}

/** Settings of a client's connection. */
interface ClientOptions {
  /** The user whose token it shows; none where none is needed. */
  readonly user?: string;
  readonly mode?: 'legacy' | 'auto';
  /** Answers questions as the person in front of it; absent where it cannot ask. */
  readonly answer?: (message: string) => string;
  /** The folders that it shows, each time it is asked; none where it cannot show any. */
  readonly roots?: () => readonly string[];
}

/** A client, and what it was asked. */
export interface DeskClient {
  readonly client: Client;
  readonly asked: readonly string[];
  /** The number of times it was asked for its folders. */
  readonly shown: () => number;
  /** Calls a tool of the desk and gives its text. */
  call(tool: string, args?: Json): Promise<string>;
}

const EVERYTHING = { key: '', allows: () => true };

/** Opens a board whose one server is the desk. */
export async function openDesk(
  entry: Json = {},
  options: OpenBoardOptions = {},
  ...args: readonly string[]
): Promise<Desk> {
  const folder = boardFolder({});
  const starts = join(folder, 'starts');
  const write: Desk['write'] = (changed, ...further) => {
    const started = fixture('desk-server.ts', '--starts', starts, ...further);
    const desk = { ...started, prefix: 'desk_', protocol: '2025-11-25', ...changed };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: { desk } }));
  };
  write(entry, ...args);
  return { board: await openFolder(folder, options), folder, write, starts: () => readStarts(starts) };
}

/** Serves a board over HTTP, for the holders of these tokens, or for all. Gives the function that connects a client. */
export async function serveDesk(
  { board }: Pick<Desk, 'board'>,
  users: readonly string[] = [],
): Promise<(options?: ClientOptions) => Promise<DeskClient>> {
  const tokens = users.map((name) => ({ name, hash: hashToken(tokenOf(name)), access: EVERYTHING }));
  const who = users.length === 0 ? { token: false as const } : { authenticator: createTokenAuthenticator(tokens) };
  const server = new McpServer(board, { mode: 'classic' });
  const served = await serveHttp(server, { port: 0, ...who });
  onTestFinished(() => served.close());
  return (options = {}) => connect(served.url, options);
}

async function connect(url: string, { user, ...options }: ClientOptions): Promise<DeskClient> {
  const headers = user === undefined ? {} : { authorization: `Bearer ${tokenOf(user)}` };
  return connectThrough(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options);
}

/** Connects a client over any transport. */
export async function connectThrough(
  transport: Parameters<Client['connect']>[0],
  { mode = 'legacy', answer, roots }: Omit<ClientOptions, 'user'>,
): Promise<DeskClient> {
  const capabilities = {
    ...(answer === undefined ? {} : { elicitation: { form: {} } }),
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
  };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  const asked: string[] = [];
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      // The server's own words stand in a frame, each line quoted.
      const message = /^> (.*)$/m.exec(params.message)?.[1] ?? '';
      asked.push(message);
      return { action: 'accept' as const, content: { answer: answer(message) } };
    });
  }
  let shown = 0;
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => {
      shown++;
      return { roots: roots().map((uri) => ({ uri })) };
    });
  }
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    asked,
    shown: () => shown,
    async call(tool, args = {}) {
      const { content } = await client.callTool({ name: `desk_${tool}`, arguments: { ...args } });
      const [first] = Array.isArray(content) ? content : [];
      return first?.type === 'text' ? first.text : JSON.stringify(content);
    },
  };
}

function tokenOf(name: string): string {
  return `the-token-of-${name}`;
}
