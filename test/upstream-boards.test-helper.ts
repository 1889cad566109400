import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { fixtureFile } from './cli-program.test-helper.ts';
import { isHelperTool } from '../src/tool/tool-marks.ts';
import { type Board, openBoard, type OpenBoardOptions } from '../src/index.ts';

/** A local tool, as it stands in a board file. */
export const ECHO = {
  name: 'echo',
  type: 'cli',
  description: 'Say something',
  command: 'echo',
  args: [{ name: 'text', positional: true, required: true }],
};
/** A server that never answers. */
export const STUCK = { command: 'sleep', args: ['1000'] };

/** A server's entry that runs one of them. */
export function fixture(name: string, ...args: readonly string[]): Record<string, unknown> {
  return { command: process.execPath, args: [fixtureFile(name.replace(/\.ts$/, '')), ...args] };
}

/** A server's entry that runs a package of node_modules. */
export function installed(name: string, ...args: readonly string[]): Record<string, unknown> {
  const path = join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${name}/dist/index.js`);
  return { command: process.execPath, args: [path, ...args] };
}

/** A folder with a board file in it; gone after the test. */
export function boardFolder(config: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-upstream-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
  return folder;
}

/** Opens the board of a folder, without waiting for servers; closed after the test. */
export async function openAtOnce(folder: string, options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, ...options });
  onTestFinished(() => board.close());
  return board;
}

/** Opens the board of a folder and waits until its servers have said what they offer; closed after the test. */
export async function openFolder(folder: string, options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openAtOnce(folder, options);
  if (options.servers !== 'cached') await board.ready({ retry: true });
  return board;
}

/** A board with these servers. */
export function openServers(
  mcpServers: Readonly<Record<string, unknown>>,
  options: OpenBoardOptions = {},
): Promise<Board> {
  return openFolder(boardFolder({ mcpServers }), options);
}

/** The numbers of the processes that a server noted when it started. */
export function readStarts(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

/** Waits for an event of a board. */
export function nextChange(board: Board): Promise<string> {
  return new Promise((resolve) => {
    const stop = board.on('server-changed', ({ server }) => {
      stop();
      resolve(server);
    });
  });
}

/** The names of a board's tools without those that page through long outputs. */
export function ownNames({ registry }: Board): string[] {
  return registry.getAll().flatMap((tool) => (isHelperTool(tool) ? [] : [tool.metadata.name]));
}
