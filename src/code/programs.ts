import type { SealedStore } from '../platform/store/sealed-space.ts';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import type { ProgramCall, WaitingCall } from './program/program-outcome.ts';

/**
 * The status of a program. `running`: a process runs it. `waiting`: it waits for people. `interrupted`: its process was killed or
 * its client has not returned; it can be resumed. `ended`: it has finished.
 */
export type ProgramStatus = 'running' | 'waiting' | 'interrupted' | 'ended';

/** A stored program. */
export interface ProgramInfo {
  /** The id for `resumeCode`. */
  readonly id: string;
  readonly status: ProgramStatus;
  /** The user it runs for; empty for the user of the board. */
  readonly caller: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** The code as it was sent. */
  readonly code: string;
  /** The calls made so far. */
  readonly calls: readonly ProgramCall[];
  /** The calls that wait for approval. */
  readonly waiting: readonly WaitingCall[];
  /** After its end: `ok`, or the code of its error. */
  readonly outcome?: string | undefined;
}

/**
 * Lists the stored programs of all callers and processes, newest first. Programs are stored if they have an id, wait, or have
 * made a call that must not be repeated, and for a day after their end. Secrets are removed from code and arguments.
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

/** Returns the current state of a stored program; `undefined` if there is none. */
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
 * Ends a program permanently, wherever it runs or waits, and withdraws its questions. Resolves with its state when it is over; a
 * program that had already ended is unchanged. `undefined` if there is none.
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

/** Yields the state of a program now and after each change in any process, until it ends or the signal aborts. */
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
