import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Board } from '../../../../board/board.ts';
import {
  type BoardNotice,
  digestOf,
  findNotices,
  fitsBoard,
  type FoundBoard,
  listNotices,
  removeNotice,
  writeNotice,
} from '../../../../mcp/front/board-notice.ts';
import { type BoardIdentity, idOf, openBoardsFolder } from '../../../../mcp/front/boards-folder.ts';
import { connectBoard } from '../../../../mcp/front/connect-board.ts';
import { isAlive } from '../../../../mcp/front/reach-board.ts';
import { takeStartLock } from '../../../../mcp/front/start-lock.ts';
import { isNewerVersion } from '../../../../platform/is-newer-version.ts';
import { onProcessExit } from '../../../../platform/process/on-process-exit.ts';
import { watchFolder } from '../../../../platform/process/trees/board-watcher.ts';
import { type RecordedEnvironment, variablesOf } from './board-variables.ts';

/** The place at which the fronts of this machine find a board. */
export interface SharedPlace {
  readonly socket: string;
  readonly token: string;
  /** Random, so that ids of this board differ from those of an earlier one. */
  readonly mark: string;
  /** Describes the board as it is now. */
  describe(): BoardNotice;
  /** Writes the first description; returns false, and writes none, where the same board is reachable in another process. */
  claim(): Promise<boolean>;
  /** Writes the description again if the board depends on other variables than before, and returns true then. */
  publish(): boolean;
  /** Returns true when a newer version serves the same files. */
  hasSuccessor(): boolean;
  remove(): void;
  /** Has the place removed when this process is killed. Until then, the next front removes it. */
  watch(): void;
}

/** Milliseconds between two attempts to describe a board while another one does. */
const TURN = 10;

interface PlaceOptions {
  readonly identity: BoardIdentity;
  readonly board: Board;
  readonly recorded: RecordedEnvironment;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Creates the place of a board, which disappears with this process, however it ends. */
export function createSharedPlace({ identity, board, recorded, env, cwd }: PlaceOptions): SharedPlace {
  const mark = randomBytes(3).toString('hex');
  const token = randomBytes(24).toString('base64url');
  const boards = openBoardsFolder(env);
  const folder = join(boards, `${idOf(identity)}-${mark}`);
  mkdirSync(folder, { mode: 0o700 });
  const remove = (): void => removeNotice({ folder });
  onProcessExit(remove);
  const since = Date.now();
  // Every user can list the names of pipes, so this one has nothing of the token.
  const pipe = String.raw`\\.\pipe\pegboard-${mark}-${randomBytes(16).toString('hex')}`;
  const socket = process.platform === 'win32' ? pipe : join(folder, 's');
  const describe = (): BoardNotice => {
    const variables = variablesOf(board.files, recorded);
    const digest = digestOf(variables, { env, cwd, token });
    return { ...identity, pid: process.pid, since, socket, token, variables, digest };
  };
  let published = '';
  const publish = (): boolean => {
    const notice = describe();
    const variables = JSON.stringify(notice.variables);
    if (variables === published) return false;
    published = variables;
    try {
      writeNotice(folder, notice);
    } catch {
      // The folder was removed, or its disk is full: fronts that come from now on start another board.
      remove();
    }
    return true;
  };
  const claim = async (): Promise<boolean> => {
    let release: (() => void) | undefined;
    while ((release = takeStartLock(boards, `${idOf(identity)}-claim`)) === undefined) await pause(TURN);
    try {
      const same = findNotices(boards, identity).filter((other) => fitsBoard(other, { env, cwd }));
      for (const other of same) if (await isReachable(other)) return false;
      const notice = describe();
      published = JSON.stringify(notice.variables);
      writeNotice(folder, notice);
      return true;
    } finally {
      release();
    }
  };
  const hasSuccessor = (): boolean => {
    try {
      return listNotices(boards).some((other) => isSuccessor(other, identity));
    } catch {
      return false;
    }
  };
  return { socket, token, mark, describe, claim, publish, hasSuccessor, remove, watch: () => watchFolder(folder) };
}

async function isReachable(board: FoundBoard): Promise<boolean> {
  const link = await connectBoard(board, { type: 'status' });
  link?.socket.destroy();
  return link !== undefined;
}

function isSuccessor(board: FoundBoard, { files, version, home }: BoardIdentity): boolean {
  const isSame = board.home === home && JSON.stringify(board.files) === JSON.stringify(files);
  return isSame && isNewerVersion(board.version, version) && isAlive(board);
}
