import type { Board } from '../../../board/board.ts';

/** Milliseconds between reminders about a waiting call. */
const AGAIN = 10 * 60_000;

/**
 * Reports each call that waits for an approval from any process, with the commands that answer it, and repeats the report
 * while it waits. Returns a function that stops the reports.
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
      // An unavailable store is tried again at the next reminder.
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
