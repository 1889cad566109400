import type { KeptQuestion } from '../../../tool/calls/approval.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { AskedByRetry } from '../refusals.ts';
import { readAnswer } from '../ask-approval.ts';
import type { ApprovalRow } from './approval-record.ts';
import type { ApprovalRows } from './approval-rows.ts';

/** The maximum delay of a timer. */
const LONGEST = 2 ** 31 - 1;

interface WaitOptions {
  readonly rows: ApprovalRows;
  /** Aborts when the board closes. */
  readonly closing: AbortSignal;
  /** Notifies others of a waiting question. Not called when no one can be asked directly and the policy does not wait. */
  readonly notify: () => void;
}

/**
 * Waits until a question is answered, directly or by another process, or is closed. Returns `'unavailable'` when no one can be asked
 * directly and the policy does not wait for others.
 */
export async function waitForAnswer(
  row: ApprovalRow,
  question: KeptQuestion,
  { rows, closing, notify }: WaitOptions,
): Promise<ApprovalRow | 'unavailable'> {
  const { approve, terms } = question;
  const { id, expiresAt } = row;
  const request = { ...question.request, signal: AbortSignal.any([question.request.signal, closing]) };
  const over = new AbortController();
  const settled = Promise.withResolvers<ApprovalRow | 'unavailable'>();
  const look = async (): Promise<void> => {
    const now = await rows.get(id);
    if (now === undefined || now.status === 'waiting') return;
    settled.resolve(now.status === 'expired' ? ((await rows.end(id, 'expired')) ?? now) : now);
  };
  // The store may be unavailable for a moment: the next signal, or the deadline, tries again.
  const lookAgain = (): void => void look().catch(() => undefined);
  const stopWatching = rows.watchRow(id, lookAgain);
  let timer: NodeJS.Timeout | undefined;
  const setDeadline = (): void => {
    const left = expiresAt - Date.now();
    timer = setTimeout(left > LONGEST ? setDeadline : lookAgain, Math.min(LONGEST, Math.max(0, left) + 1));
    // If a direct answer is possible, its question keeps the process alive.
    if (approve !== undefined) timer.unref();
  };
  setDeadline();
  const end = async (): Promise<void> => {
    // A call with a key can be repeated, also by another process: its question stays open when the board closes.
    if (closing.aborted && row.key !== undefined) return settled.resolve({ ...row, status: 'ended' });
    // The first answer counts; in any case the call has ended.
    settled.resolve((await rows.end(id, 'ended').catch(() => undefined)) ?? { ...row, status: 'ended' });
  };
  const stop = (): void => void end();
  if (request.signal.aborted) stop();
  else request.signal.addEventListener('abort', stop, { once: true });
  let notifying: NodeJS.Immediate | undefined;
  const direct = async (): Promise<void> => {
    if (approve === undefined || terms.headless === 'wait') notify();
    // If no person can be asked, this is known before the next turn of the event loop.
    else notifying = setImmediate(notify);
    if (approve === undefined) return;
    const signal = AbortSignal.any([request.signal, over.signal]);
    const given = readAnswer(await approve({ ...request, approvalId: id, signal }));
    clearImmediate(notifying);
    if (over.signal.aborted || request.signal.aborted) return;
    if (given === 'unavailable') {
      if (terms.headless === 'wait') return;
      const now = await rows.end(id, 'ended');
      // Another process may have answered meanwhile.
      return settled.resolve(now?.answer === undefined ? given : now);
    }
    const { allow, by } = given;
    const change = given.allow && given.args !== undefined ? { args: given.args, edited: true as const } : {};
    const reason = given.allow ? undefined : given.reason;
    try {
      settled.resolve(await rows.answer(id, { allow, by, at: Date.now(), scope: 'once', reason, ...change }));
    } catch (error) {
      // Another process was faster: its answer counts.
      if (!(error instanceof ToolError) || error.code !== 'invalid_arguments') throw error;
      await look();
    }
  };
  direct().catch(async (error: unknown) => {
    // The client will send its request again with the answer; until then others can answer.
    const isFoundAgain = error instanceof AskedByRetry && row.key !== undefined;
    if (!isFoundAgain) {
      clearImmediate(notifying);
      await rows.end(id, 'ended').catch(() => undefined);
    }
    settled.reject(error);
  });
  lookAgain();
  try {
    return await settled.promise;
  } finally {
    over.abort();
    clearTimeout(timer);
    stopWatching();
    request.signal.removeEventListener('abort', stop);
  }
}
