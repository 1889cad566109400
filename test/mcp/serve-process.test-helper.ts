// A board that is served by the command line, as people start it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI } from '../cli-program.test-helper.ts';

export const BOARD = `
name: harbour
serve: { instructions: Ask before you move ships. }
tools:
  - name: hail
    type: cli
    description: Hail a ship
    command: echo ahoy
    risk: read
    args: [{ name: ship, positional: true, required: true }]
  - name: slow
    type: run
    description: Takes its time, and ignores polite requests to stop
    schema: { properties: { file: { type: string } } }
    commands: [{ cmd: sh, args: [-c, 'trap "" TERM; echo $$ > "$0"; sleep 60; sleep 60', '{{file}}'] }]
  - name: sink
    type: cli
    description: Sink a ship
    command: echo sunk
    risk: destructive
    args: [{ name: ship, positional: true, required: true }]
policy:
  approval: { global: destructive }
`;

/** A folder with the board in it; `remove` when done. */
export function placeBoard(text = BOARD): { folder: string; file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, text);
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts `pegboard serve`. */
export function startServe(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): ChildProcess {
  return spawn(process.execPath, [CLI, 'serve', ...args], { stdio: ['pipe', 'pipe', 'pipe'], ...options });
}

/** Waits for a text on one of a process's outputs and gives all there was by then. */
export function waitForText(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream?.on('data', (chunk) => {
      text += String(chunk);
      if (pattern.test(text)) resolve(text);
    });
    stream?.once('end', () => reject(new Error(`It ended before ${pattern} came: ${text}`)));
  });
}

/** A token to pass with `--token`, and the header that shows it. */
export const TOKEN = 'a-token-of-the-tests';
export const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

/** Starts `pegboard serve --http` and waits until it listens. */
export async function startHttp(
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; url: string }> {
  const child = startServe(['--http', '--port', '0', ...args], env === undefined ? {} : { env });
  const text = await waitForText(child.stderr, /at http:\S+/);
  return { child, url: /http:[^\s,]+/.exec(text)?.[0] ?? '' };
}
