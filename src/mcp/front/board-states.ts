import { listNotices, type FoundBoard } from './board-notice.ts';
import { connectBoard } from './connect-board.ts';
import { removeIfDead } from './reach-board.ts';
import { existsSync } from 'node:fs';

/** A running board and its answer; `status` is `undefined` for one that does not answer. */
export interface BoardState {
  readonly board: FoundBoard;
  readonly status: unknown;
}

/** Milliseconds that a board has to answer. */
export const PATIENCE = 5_000;

/** Asks all boards in a folder for their state, oldest first. Removes what dead ones left behind. */
export async function readBoardStates(folder: string): Promise<readonly BoardState[]> {
  const boards = listNotices(folder).toSorted((one, other) => one.since - other.since);
  const states = await Promise.all(boards.map(readState));
  return states.filter((state) => state !== undefined);
}

async function readState(board: FoundBoard): Promise<BoardState | undefined> {
  const link = await connectBoard(board, { type: 'status' }, AbortSignal.timeout(PATIENCE));
  link?.socket.destroy();
  if (link?.reply.type === 'status') return { board, status: link.reply.status };
  removeIfDead(board);
  // A board that ends has removed its folder.
  return existsSync(board.folder) ? { board, status: undefined } : undefined;
}
