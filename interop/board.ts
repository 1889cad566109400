// The board that clients are tried with: a server that other people wrote behind it, and three tools of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
  close(): void;
}

/** Writes the board and serves it with `pegboard`, a program and its first arguments. */
export async function serveBoard(pegboard: readonly string[], config: object = BOARD): Promise<ServedBoard> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-interop-'));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, JSON.stringify(config));
  const [command = '', ...first] = pegboard;
  const http = ['serve', file, '--eager', '--http', '--port', '0', '--token', TOKEN];
  const child = spawn(command, [...first, ...http], { stdio: ['ignore', 'ignore', 'pipe'] });
  const close = (): void => {
    child.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const url = await waitForWords(child, /(?<=at )http:\/\/[^\s,]+\/mcp/);
    const headers = { authorization: `Bearer ${TOKEN}` };
    return { folder, file, command, args: [...first, 'serve', file, '--eager'], url, headers, close };
  } catch (error) {
    close();
    throw error;
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
