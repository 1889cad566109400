import type { Board } from '../../../board/board.ts';

/**
 * Describes approvals that stopped a run or a program: those that still wait for an answer or, where none does, the command that
 * continues it. `undefined` where there are none.
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
