// The board that clients are tried with: a server that other people wrote behind it, and three tools of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listNotices } from '../src/mcp/front/board-notice.ts';
import { connectBoard } from '../src/mcp/front/connect-board.ts';
import type { Target } from './client.ts';

const TOKEN = 'a-token-of-the-interop-run';

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** The board's file. What is destructive needs a yes, from wherever it comes. */
const BOARD = {
  name: 'interop',
  serve: { mode: 'classic', tasks: { after: '1h' } },
  policy: { approval: { global: 'destructive', headless: 'wait' } },
  mcpServers: { everything: { command: process.execPath, args: [EVERYTHING, 'stdio'], trust_hints: true } },
  tools: [
    {
      name: 'wait',
      type: 'run',
      description: 'Writes its process id into a file of the folder, and waits until it is ended',
      risk: 'read',
      timeout: 600,
      schema: { properties: { file: { type: 'string' } }, required: ['file'] },
      commands: [{ cmd: 'sh', args: ['-c', 'echo $$ > "$0"; exec sleep 600', '{{file}}'] }],
    },
    { name: 'wipe', type: 'cli', description: 'Wipe it all', command: 'echo wiped', risk: 'destructive' },
    { name: 'count', type: 'cli', description: 'Count to 20,000', command: 'seq 1 20000', risk: 'read' },
  ],
};

/** A board in a process of its own over HTTP, and what starts another one over stdio. */
export interface ServedBoard extends Target {
  /** Ends what serves it, also the board that clients over stdio share. */
  close(): Promise<void>;
}

/** Writes the board and serves it with `pegboard`, a program and its first arguments. */
export async function serveBoard(pegboard: readonly string[], config: object = BOARD): Promise<ServedBoard> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-interop-'));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, JSON.stringify(config));
  const [command = '', ...first] = pegboard;
  const http = ['serve', file, '--eager', '--http', '--port', '0', '--token', TOKEN];
  const child = spawn(command, [...first, ...http], { stdio: ['ignore', 'ignore', 'pipe'] });
  // The sockets of boards have short paths.
  const runtime = mkdtempSync('/tmp/pbi-');
  const close = async (): Promise<void> => {
    child.kill();
    await stopBoards(runtime);
    for (const made of [folder, runtime]) rmSync(made, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const url = await waitForWords(child, /(?<=at )http:\/\/[^\s,]+\/mcp/);
    const headers = { authorization: `Bearer ${TOKEN}` };
    // Not all clients pass variables on, and one gives its own home. CI would serve each client alone.
    const home = `HOME=${process.env['HOME'] ?? ''}`;
    const variables = [home, 'CI=', 'PEGBOARD_STANDALONE=0', `PEGBOARD_RUNTIME=${runtime}`];
    const args = [...variables, command, ...first, 'serve', file, '--eager'];
    return { folder, file, command: 'env', args, url, headers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ends the boards that clients over stdio have shared, and waits until they are gone. */
async function stopBoards(runtime: string): Promise<void> {
  for (const board of existsSync(runtime) ? listNotices(runtime) : []) {
    const link = await connectBoard(board, { type: 'stop' });
    // It ends with the board.
    if (link !== undefined && !link.socket.closed) await once(link.socket.resume(), 'close');
  }
}

/** Waits until a process writes what `pattern` matches, and gives that. */
export function waitForWords(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: unknown): void => {
      text += String(chunk);
      const [words] = pattern.exec(text) ?? [];
      if (words !== undefined) resolve(words);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`The process ended before it said ${String(pattern)}: ${text}`)));
  });
}
