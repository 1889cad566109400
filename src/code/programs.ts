import { ToolError } from '../tool/tool-error.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import type { ProgramCall, WaitingCall } from './program/program-outcome.ts';

/**
 * How a program stands: a process runs it; it waits for people; its process was killed, or its client has not come back, and it can
 * go on; or it is over.
 */
export type ProgramStatus = 'running' | 'waiting' | 'interrupted' | 'ended';

/** A program that the board keeps. */
export interface ProgramInfo {
  /** What `resumeCode` takes. */
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
  /** The calls that wait for a person's yes. */
  readonly waiting: readonly WaitingCall[];
  /** After its end: `ok`, or the code of its error. */
  readonly outcome?: string | undefined;
}

/** Milliseconds after which a program that is followed is looked at again. */
const LOOK_AGAIN = 2_000;

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
  const { ProgramLog } = await import('./program/program-log.ts');
  const ids = store === undefined ? [] : await ProgramLog.ids(store);
  const programs = await Promise.all(ids.map((id) => getProgram(board, id)));
  return programs.filter((one) => one !== undefined).toSorted((a, b) => b.startedAt - a.startedAt);
}

/** A program that the board keeps, as it stands now; `undefined` where there is none. */
export async function getProgram(board: BoardLike, id: string): Promise<ProgramInfo | undefined> {
  const store = storeOf(board);
  const { ProgramLog } = await import('./program/program-log.ts');
  const known = store === undefined ? undefined : await ProgramLog.read(store, id);
  if (known === undefined) return undefined;
  const { record, entries, isHeld } = known;
  const { outcome, held = [], owner, startedAt, source } = record;
  const answered = new Set(entries.flatMap((entry) => (entry.type === 'answer' ? [entry.answer.number] : [])));
  const open = held.filter(({ call }) => !answered.has(call.number));
  const isWaiting = outcome === undefined && open.length > 0;
  const { redactor } = toBoardParts(board, 'getProgram').registry.executor;
  const status: ProgramStatus =
    outcome === undefined ? (isHeld ? 'running' : isWaiting ? 'waiting' : 'interrupted') : 'ended';
  return redactor.part<ProgramInfo>({
    id,
    status,
    caller: owner.user,
    startedAt,
    code: source,
    calls: outcome?.calls ?? entries.flatMap((entry) => (entry.type === 'answer' ? (entry.call ?? []) : [])),
    waiting: isWaiting ? open.map(({ approvalId, tool, args }) => ({ approvalId, tool, args })) : [],
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
  for await (const program of followProgram(board, id, signal)) {
    if (program.status === 'ended') return program;
    await endProgram(board, store, program);
  }
  return getProgram(board, id);
}

/** Ends a program that no process runs; of one that is run, tells its process. */
async function endProgram(board: BoardLike, store: SealedStore, { id, waiting, calls }: ProgramInfo): Promise<void> {
  const [{ ProgramLog }, { cancelled }] = await Promise.all([
    import('./program/program-log.ts'),
    import('./program/program-errors.ts'),
  ]);
  const known = await ProgramLog.read(store, id);
  if (known === undefined || known.record.outcome !== undefined) return;
  try {
    const log = await ProgramLog.reopen(store, known.record);
    await log.end({ ok: false, error: cancelled(), logs: [], calls, id });
    const { approvals } = toBoardParts(board, 'cancelProgram');
    for (const { approvalId } of waiting) await approvals?.withdraw(approvalId);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'busy') throw error;
    await ProgramLog.wishCancel(store, id);
  }
}

/** A program as it stands, and again each time it has gone on, in any process, until it is over or the signal aborts. */
export async function* followProgram(
  board: BoardLike,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<ProgramInfo, void> {
  const store = storeOf(board);
  if (store === undefined) return;
  const { ProgramLog } = await import('./program/program-log.ts');
  let changed = Promise.withResolvers<void>();
  const wake = (): void => changed.resolve();
  const stop = ProgramLog.watch(store, wake);
  // Keeps the process while it waits, and looks even where no signal came: a process that was killed sends none.
  const timer = setInterval(wake, LOOK_AGAIN);
  signal?.addEventListener('abort', wake, { once: true });
  try {
    let last = '';
    for (;;) {
      if (signal?.aborted === true) return;
      const program = await getProgram(board, id);
      if (program === undefined) return;
      const text = JSON.stringify(program);
      if (text !== last) yield program;
      if (program.status === 'ended') return;
      last = text;
      await changed.promise;
      changed = Promise.withResolvers<void>();
    }
  } finally {
    clearInterval(timer);
    stop();
    signal?.removeEventListener('abort', wake);
  }
}

function storeOf(board: BoardLike): SealedStore | undefined {
  return toBoardParts(board, 'listPrograms').sealed;
}
