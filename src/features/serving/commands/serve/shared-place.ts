import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Board } from '../../../../board/board.ts';
import { type BoardNotice, digestOf, removeNotice, writeNotice } from '../../../../mcp/front/board-notice.ts';
import { type BoardIdentity, idOf, openBoardsFolder } from '../../../../mcp/front/boards-folder.ts';
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
  /** Writes the description, and returns true if the board depends on other variables than before. */
  publish(): boolean;
  remove(): void;
}

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
  const folder = join(openBoardsFolder(env), `${idOf(identity)}-${mark}`);
  mkdirSync(folder, { mode: 0o700 });
  watchFolder(folder);
  const remove = (): void => removeNotice({ folder });
  onProcessExit(remove);
  const since = Date.now();
  const socket = process.platform === 'win32' ? String.raw`\\.\pipe\pegboard-${mark}-${token}` : join(folder, 's');
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
    writeNotice(folder, notice);
    return true;
  };
  return { socket, token, mark, describe, publish, remove };
}
