import type { Board } from '../../board/board.ts';

/** Milliseconds after which a call that still waits is told of again. */
const AGAIN = 10 * 60_000;

/**
 * Tells of each call that waits for an approval that any process of the board can give, with its id and the commands that answer it,
 * and again while it waits. Gives the function that stops telling.
 */
export function tellWaiting(
  board: Pick<Board, 'on' | 'approvals'>,
  print: (text: string) => void,
  again: number = AGAIN,
): () => void {
  const timers = new Set<NodeJS.Timeout>();
  const stopListening = board.on('approval-waits', ({ id, tool }) => {
    const answer = `Answer it with: pegboard approvals allow ${id}, or: pegboard approvals deny ${id}`;
    print(`A call of ${tool} waits for an approval. ${answer}`);
    const repeat = async (): Promise<void> => {
      // A store that is away for a moment is asked again the next time.
      const status = await board.approvals.get(id).then(
        (row) => row?.status,
        () => 'waiting' as const,
      );
      if (!timers.has(timer)) return;
      if (status === 'waiting') return print(`The call of ${tool} still waits. ${answer}`);
      clearInterval(timer);
      timers.delete(timer);
    };
    const timer = setInterval(() => void repeat(), again).unref();
    timers.add(timer);
  });
  return () => {
    stopListening();
    for (const timer of timers) clearInterval(timer);
    timers.clear();
  };
}
