import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Board, ConfigError, openBoard } from '../../index.ts';

/** Creates a folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-http-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Opens a board of `http` tools that may reach this machine, each from its keys; they are read-only by default. */
export async function openHttpBoard(
  tools: Readonly<Record<string, object>>,
  { head = {}, folder = makeFolder() }: { readonly head?: object; readonly folder?: string } = {},
): Promise<Board> {
  const entries = Object.entries(tools).map(([name, keys]) => {
    return { name, type: 'http', description: name, risk: 'read', allow_hosts: ['127.0.0.1'], ...keys };
  });
  const file = join(folder, 'pegboard.json');
  writeFileSync(file, JSON.stringify({ ...head, tools: entries }));
  const board = await openBoard({ files: file, cwd: folder, data: join(folder, 'data') });
  onTestFinished(() => board.close());
  return board;
}

/** Returns the error of a board with one tool `t` that does not open. */
export async function faultOf(keys: object): Promise<string> {
  const thrown: unknown = await openHttpBoard({ t: keys }).catch((error: unknown) => error);
  if (!(thrown instanceof ConfigError)) throw new Error('It opened.');
  return thrown.message;
}
