import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findNotices, fitsBoard, type FoundBoard, removeNotice } from './board-notice.ts';
import { type BoardIdentity, idOf, makePrivate } from './boards-folder.ts';
import { type BoardLink, connectBoard, type Greeting } from './connect-board.ts';
import { takeStartLock } from './start-lock.ts';

/** The board that a process wants, and the process's own surroundings. */
export interface WantedBoard {
  /** The folder of all boards. */
  readonly folder: string;
  readonly identity: BoardIdentity;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The end of an attempt to start a board. */
export type StartResult =
  | { readonly type: 'started' }
  /** The files ask for a server that is not shared, or the machine has no place for one, with the reason. */
  | { readonly type: 'standalone'; readonly reason?: string }
  | { readonly type: 'failed'; readonly message: string };

/** The end of an attempt to reach a board. */
export type Reached = ({ readonly type: 'reached' } & BoardLink) | Exclude<StartResult, { readonly type: 'started' }>;

/** Milliseconds between two looks at a board that another process is starting: each look takes the processor from it. */
const GLANCE = 10;
const LONGEST_GLANCE = 100;
/** Starts after which a board that starts and cannot be reached counts as broken. */
const MOST_STARTS = 3;

/** Connects to the running board of these files and variables; `undefined` if there is none. */
export async function findBoard(wanted: WantedBoard, greeting: Greeting): Promise<BoardLink | undefined> {
  for (const board of findNotices(wanted.folder, wanted.identity)) {
    if (!fitsBoard(board, wanted)) continue;
    const link = await connectBoard(board, greeting);
    if (link !== undefined) return link;
  }
  return undefined;
}

/**
 * Connects to the board of these files and variables; `start` starts it when there is none. One process at a time starts it.
 *
 * Throws when the folder of all boards cannot be used.
 */
export async function reachBoard(
  wanted: WantedBoard,
  greeting: Greeting,
  start: () => Promise<StartResult>,
): Promise<Reached> {
  const { folder, identity } = wanted;
  let glance = GLANCE;
  for (let starts = 0; starts < MOST_STARTS;) {
    // Systems clean folders of temporary files, also while a front runs.
    makePrivate(folder);
    const found = await findBoard(wanted, greeting);
    if (found !== undefined) return { type: 'reached', ...found };
    const release = takeStartLock(folder, idOf(identity));
    if (release === undefined) {
      await pause(glance);
      glance = Math.min(2 * glance, LONGEST_GLANCE);
      continue;
    }
    try {
      // Another process may have started it before the lock was free.
      const started = await findBoard(wanted, greeting);
      if (started !== undefined) return { type: 'reached', ...started };
      for (const board of findNotices(folder, identity)) removeIfDead(board);
      starts++;
      const result = await start();
      if (result.type !== 'started') return result;
    } finally {
      release();
    }
  }
  return { type: 'failed', message: 'The board was started, but cannot be reached. See: pegboard status' };
}

/** Removes the folder of a board whose process is gone. */
export function removeIfDead(board: FoundBoard): void {
  if (!isAlive(board)) removeNotice(board);
}

/** Returns true while the process of a notice runs. */
export function isAlive({ pid }: FoundBoard): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // It is gone, or another user has a process with its number.
    return false;
  }
  try {
    // Numbers of processes are used again, and one that has ended is listed, without its words, until its parent asks.
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes('--shared');
  } catch {
    // This system has no such files.
    return true;
  }
}
