import type { Board } from '../../../board/board.ts';

/**
 * Describes approvals that stopped a run or a program: the ones still waiting for an answer, or the command that continues it if there are
 * none. `undefined` if there are no approvals.
 */
export async function describeWaiting(
  board: Pick<Board, 'approvals'>,
  ids: readonly string[],
  resume: string,
): Promise<string | undefined> {
  if (ids.length === 0) return undefined;
  const rows = await Promise.all(ids.map((id) => board.approvals.get(id)));
  const open = ids.filter((_, index) => rows[index]?.status === 'waiting');
  return open.length > 0 ? `waits for ${open.join(', ')}` : `answered, continue with: ${resume}`;
}
