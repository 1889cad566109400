import { openBoard } from '../src/index.ts';
import type { AnswerElsewhere } from './check-client.ts';

/** Answers what waits, as another process of the board than the one that serves it. */
export async function createApprover(
  file: string,
): Promise<{ readonly answer: AnswerElsewhere; close(): Promise<void> }> {
  const board = await openBoard(file, { servers: 'cached' });
  return {
    async answer(tool, allow) {
      for await (const { id, tool: asked, status } of board.approvals.follow(AbortSignal.timeout(100_000))) {
        if (asked !== tool || status !== 'waiting') continue;
        await board.approvals.answer(id, allow ? { allow } : { allow, reason: 'Not today.' });
        return;
      }
      throw new Error(`No call of "${tool}" waits for an answer.`);
    },
    close: () => board.close(),
  };
}
