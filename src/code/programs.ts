import type { SealedStore } from '../platform/store/sealed-space.ts';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import type { ProgramCall, WaitingCall } from './program/program-outcome.ts';

/**
 * The status of a program: a process runs it; it waits for people; its process was killed, or its client has not come back, and it can
 * be resumed; or it is over.
 */
export type ProgramStatus = 'running' | 'waiting' | 'interrupted' | 'ended';

/** A program that the board keeps. */
export interface ProgramInfo {
  /** The id that `resumeCode` takes. */
  readonly id: string;
  readonly status: ProgramStatus;
  /** The user it runs for; empty for the user of the board. */
  readonly caller: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** The code as it was sent. */
  readonly code: string;
  /** The calls that it has made so far. */
  readonly calls: readonly ProgramCall[];
  /** The calls that wait for a person's approval. */
  readonly waiting: readonly WaitingCall[];
  /** After its end: `ok`, or the code of its error. */
  readonly outcome?: string | undefined;
}

/**
 * The programs that a board keeps, of all callers and all its processes, the newest first: those that are not over and have made a
 * call which must not be made twice, or wait, or were given an id; others for a day after their end. Code and arguments have no
 * secrets of the board.
 *
 * @example
 * for (const { id, status } of await listPrograms(board)) console.log(id, status);
 */
export async function listPrograms(board: BoardLike): Promise<ProgramInfo[]> {
  const store = storeOf(board);
  if (store === undefined) return [];
  const { programJobs } = await import('./program/program-log.ts');
  const jobs = await programJobs(store).list();
  const programs = await Promise.all(jobs.map(({ id }) => getProgram(board, id)));
  return programs.filter((one) => one !== undefined).toSorted((a, b) => b.startedAt - a.startedAt);
}

/** A program that the board keeps, as it is now; `undefined` when there is none. */
export async function getProgram(board: BoardLike, id: string): Promise<ProgramInfo | undefined> {
  const store = storeOf(board);
  if (store === undefined) return undefined;
  const jobs = (await import('./program/program-log.ts')).programJobs(store);
  const job = await jobs.get(id);
  if (job === undefined) return undefined;
  const isOver = job.endedAt !== undefined;
  const outcome = isOver ? await jobs.result(id) : undefined;
  const holder = isOver ? undefined : await jobs.holder(id);
  const entries = isOver ? [] : await jobs.entries(id);
  const { held = [], owner, startedAt, source } = job.info;
  const answered = new Set(entries.flatMap((entry) => (entry.type === 'answer' ? [entry.answer.number] : [])));
  const open = held.filter(({ call }) => !answered.has(call.number));
  const idle = open.length > 0 ? 'waiting' : 'interrupted';
  const { redactor } = toBoardParts(board, 'getProgram').registry.executor;
  return redactor.part<ProgramInfo>({
    id,
    status: isOver ? 'ended' : holder === undefined ? idle : 'running',
    caller: owner.user,
    startedAt,
    code: source,
    calls: outcome?.calls ?? entries.flatMap((entry) => (entry.type === 'answer' ? (entry.call ?? []) : [])),
    waiting: open.map(({ approvalId, tool, args }) => ({ approvalId, tool, args })),
    ...(outcome === undefined ? {} : { outcome: outcome.ok ? 'ok' : String(outcome.error?.['code']) }),
  });
}

/**
 * Ends a program for good, wherever it runs or waits, and takes back its questions. Resolves when it is over, with how it ended: one
 * that was over already stays as it is. `undefined` where there is none.
 */
export async function cancelProgram(
  board: BoardLike,
  id: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ProgramInfo | undefined> {
  const store = storeOf(board);
  if (store === undefined) return undefined;
  const [{ ProgramLog, programJobs }, { cancelled }] = await Promise.all([
    import('./program/program-log.ts'),
    import('./program/program-errors.ts'),
  ]);
  const { approvals } = toBoardParts(board, 'cancelProgram');
  await programJobs(store).cancel(
    id,
    async (job) => {
      const { calls = [], waiting = [] } = (await getProgram(board, id)) ?? {};
      await new ProgramLog(store, job).end({ ok: false, error: cancelled(), logs: [], calls, id });
      for (const { approvalId } of waiting) await approvals?.withdraw(approvalId);
    },
    signal,
  );
  return getProgram(board, id);
}

/** Gives a program as it is, and again after each change in any process, until it is over or the signal aborts. */
export async function* followProgram(
  board: BoardLike,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<ProgramInfo, void> {
  const store = storeOf(board);
  if (store === undefined) return;
  const { programJobs } = await import('./program/program-log.ts');
  let last = '';
  for await (const _ of programJobs(store).follow(id, signal)) {
    const program = await getProgram(board, id);
    if (program === undefined) return;
    const text = JSON.stringify(program);
    if (text !== last) yield program;
    if (program.status === 'ended') return;
    last = text;
  }
}

function storeOf(board: BoardLike): SealedStore | undefined {
  return toBoardParts(board, 'listPrograms').sealed;
}
