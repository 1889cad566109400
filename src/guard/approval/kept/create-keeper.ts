import { randomBytes } from 'node:crypto';
import { thisProcess } from '../../../platform/process/trees/process-table.ts';
import type {
  ApprovalKeeper,
  ApprovalTerms,
  KeptAnswer,
  KeptQuestion,
  WaitingQuestion,
} from '../../../tool/calls/approval.ts';
import type { RecordCount } from '../../../platform/store/board-store.ts';
import type { Tool } from '../../../tool/tool.ts';
import { clientOf, describeCaller } from '../../../tool/calls/call-owner.ts';
import { hashOf } from '../../lock/tool-pin.ts';
import { askDirectly } from '../ask-approval.ts';
import { refuseCrowd, refuseEnded, refuseExpired, refuseLarge, refuseSpent, refuseUntilAnswered } from '../refusals.ts';
import { type ApprovalRow, digest } from './approval-record.ts';
import type { ApprovalRows } from './approval-rows.ts';
import { waitForAnswer } from './wait-for-answer.ts';

export interface KeeperOptions {
  readonly rows: ApprovalRows;
  /** Returns true when questions that are asked directly are stored too. False when the board has no data folder. */
  readonly keepsAll: () => boolean;
  /** Notifies a command or an address of a waiting question. */
  readonly notify: (row: ApprovalRow, question: KeptQuestion) => void;
  /** Returns a tool's definition as plain data: an approval covers the tool as it was when the person was asked. */
  readonly definitionOf: (tool: Tool) => unknown;
  /** Called when a person has added a line to the policy, which applies from now on. */
  readonly policyChanged: () => Promise<unknown>;
  readonly now?: (() => number) | undefined;
}

/** Keeps the questions of a board until the board is closed. */
export interface BoardKeeper extends Pick<ApprovalKeeper, 'ask'> {
  /** Ends the wait of every call. */
  close(): Promise<void>;
}

/** Minimum length of random session ids; shorter ids number the clients of one process. */
const RANDOM_ID = 20;
const ID_LENGTH = 16;

/**
 * Creates the keeper of a board's questions: each is stored before a person is asked, and the first answer from any process counts. One
 * call consumes an approval.
 */
export function createKeeper(options: KeeperOptions): BoardKeeper {
  const { rows, keepsAll, now = Date.now } = options;
  const instance = randomBytes(8).toString('hex');
  const closing = new AbortController();
  const waiting = new Set<Promise<unknown>>();
  const inTurn = takeTurns();
  const wait: Waiting['wait'] = async (row, question, notify) => {
    const answered = waitForAnswer(row, question, { rows, closing: closing.signal, notify });
    waiting.add(answered);
    try {
      return await answered;
    } finally {
      waiting.delete(answered);
    }
  };
  return {
    async close() {
      closing.abort(new Error('The board was closed.'));
      await Promise.allSettled(waiting);
    },
    async ask(question) {
      const { approve, terms, options: requested } = question;
      // A function that answers at once is asked in any case.
      const isDeferred = requested.defer === true && approve === undefined;
      const isAlone = approve === undefined;
      if (isAlone && !isDeferred && terms.headless !== 'wait') return 'unavailable';
      const mustKeep = isAlone || requested.key !== undefined;
      const isAsked = approve !== undefined && approve.isAutomatic !== true;
      if (!mustKeep && !(isAsked && keepsAll())) return askDirectly(question);
      let opened: { readonly row: ApprovalRow; readonly isNew: boolean };
      try {
        checkSize(question);
        const definition = options.definitionOf(question.tool);
        const draft = await toRow(question, definition, { instance, createdAt: now(), rows });
        const grant = await rows.findGrant(draft);
        if (grant !== undefined) return { allow: true, by: grant.by, scope: 'session' };
        opened = await inTurn(draft.caller, async () => {
          await checkRoom(draft, terms, rows);
          return rows.open(draft);
        });
      } catch (error) {
        // A person who is asked directly can answer anyway; a call that resumes later cannot.
        if (mustKeep) throw error;
        return askDirectly(question);
      }
      const { row, isNew } = opened;
      if (isNew) {
        try {
          await question.noteWaiting(factsOf(row, question));
        } catch (error) {
          // The call ends with this question: no one is left to answer.
          await rows.end(row.id, 'ended').catch(() => undefined);
          throw error;
        }
      }
      // Others are notified once.
      const notify = isNew ? () => options.notify(row, question) : () => undefined;
      const settled = row.status === 'waiting' ? undefined : row;
      if (settled === undefined && isDeferred) {
        if (question.onWait === undefined) notify();
        else question.onWait(toWaiting(row, question, { rows, wait, notify }));
        throw refuseUntilAnswered(row.tool, row.id, row.expiresAt);
      }
      const answered = settled ?? (await wait(row, question, notify));
      if (answered === 'unavailable') return answered;
      return readRow(answered, question, options);
    },
  };
}

interface Waiting {
  readonly rows: ApprovalRows;
  readonly wait: (row: ApprovalRow, question: KeptQuestion, notify: () => void) => Promise<ApprovalRow | 'unavailable'>;
}

/** Creates the question for a caller that asks it itself and repeats the call. */
function toWaiting(
  row: ApprovalRow,
  question: KeptQuestion,
  { rows, wait, notify }: Waiting & { readonly notify: () => void },
): WaitingQuestion {
  const { id } = row;
  const { deferred: approve, terms } = question;
  return {
    approvalId: id,
    request: { ...question.request, approvalId: id },
    approve,
    async wait(ask, signal) {
      if (ask === undefined && terms.headless !== 'wait') {
        const now = await rows.end(id, 'ended');
        // Another process may have answered meanwhile.
        return now?.answer === undefined ? 'unavailable' : 'answered';
      }
      const request = { ...question.request, signal };
      const answered = await wait(row, { ...question, request, approve: ask }, notify);
      return answered === 'unavailable' ? answered : 'answered';
    },
  };
}

const MOST_PER_CALLER = 500;
const MOST_PER_BOARD = 2_000;
/** Maximum size in bytes of arguments, as JSON, in a question. */
const MOST_ARGUMENTS = 256 * 1024;
/** Maximum size in bytes of stored waiting questions. */
const MOST_BYTES_PER_CALLER = 16 * 1024 * 1024;
const MOST_BYTES_PER_BOARD = 64 * 1024 * 1024;

/** Refuses a question that is too large to store, before doing any work for it. */
function checkSize({ args, request: { tool } }: KeptQuestion): void {
  const size = Buffer.byteLength(JSON.stringify(args) ?? '');
  if (size > MOST_ARGUMENTS) throw refuseLarge(tool, size, MOST_ARGUMENTS);
}

/** Counts and stores the questions of one caller one at a time, so that simultaneous ones do not exceed the limit. */
function takeTurns(): <T>(caller: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (caller, work) => {
    const before = last.get(caller);
    const own = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(caller, own);
    try {
      return await own;
    } finally {
      if (last.get(caller) === own) last.delete(caller);
    }
  };
}

/** Refuses a new question when too many are waiting. Simultaneous questions from several processes may exceed the limit slightly. */
async function checkRoom(draft: ApprovalRow, { mostWaiting = {} }: ApprovalTerms, rows: ApprovalRows): Promise<void> {
  const { perCaller = MOST_PER_CALLER, perBoard = MOST_PER_BOARD } = mostWaiting;
  const [own, all] = [await rows.count(draft.caller), await rows.count()];
  if (own.records < perCaller && all.records < perBoard && !isLarge(own, all)) return;
  // The index may contain expired ones, which listing closes.
  const waiting = (await rows.list({ over: false })).filter(({ status }) => status === 'waiting');
  // A repeated call reuses its own question.
  if (waiting.some(({ id }) => id === draft.id)) return;
  const left = waiting.filter(({ caller }) => caller === draft.caller).length;
  if (left >= perCaller) throw refuseCrowd(draft.tool, left, 'of the same caller');
  if (waiting.length >= perBoard) throw refuseCrowd(draft.tool, waiting.length, 'on this board');
  const ownNow = await rows.count(draft.caller);
  if (isLarge(ownNow, await rows.count()))
    throw ownNow.bytes >= MOST_BYTES_PER_CALLER
      ? refuseCrowd(draft.tool, left, `of the same caller, ${count(ownNow.bytes)} bytes together,`)
      : refuseCrowd(draft.tool, waiting.length, 'on this board, as large as they may be together,');
}

function isLarge(own: RecordCount, all: RecordCount): boolean {
  return own.bytes >= MOST_BYTES_PER_CALLER || all.bytes >= MOST_BYTES_PER_BOARD;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Returns the outcome of an answered question for a call that resumes with it. */
async function readRow(
  row: ApprovalRow,
  { isRepeatable, request, options: { continues = false } }: KeptQuestion,
  { rows, policyChanged }: KeeperOptions,
): Promise<KeptAnswer> {
  const { id, tool, status, answer, edited } = row;
  const by = answer?.by ?? '';
  switch (status) {
    case 'waiting':
    case 'ended':
      throw refuseEnded(tool, request.signal);
    case 'expired':
      throw refuseExpired(tool, id);
    case 'denied':
      return { allow: false, by, reason: answer?.reason, id };
    case 'spent':
      // Repeating it has no further effect. Edited arguments are no longer known.
      if ((isRepeatable || continues) && answer?.edited !== true) return { allow: true, by, id, scope: answer?.scope };
      throw refuseSpent(tool, id);
    case 'allowed': {
      if (answer?.scope === 'tool' || answer?.scope === 'arguments') await policyChanged();
      const spend = async (): Promise<void> => {
        if (!(await rows.spend(id))) throw refuseSpent(tool, id);
      };
      return { allow: true, by, id, args: edited, scope: answer?.scope, spend };
    }
  }
}

function factsOf(row: ApprovalRow, { approve }: KeptQuestion): Readonly<Record<string, unknown>> {
  const others = 'the inspector and `pegboard approvals` in any process with the key of the board';
  return {
    approval: row.id,
    expiresAt: row.expiresAt,
    question: row.message,
    mayAnswer: approve === undefined ? others : `who is asked directly; ${others}`,
  };
}

async function toRow(
  question: KeptQuestion,
  definition: unknown,
  { instance, createdAt, rows }: { readonly instance: string; readonly createdAt: number; readonly rows: ApprovalRows },
): Promise<ApprovalRow> {
  const { request, args, terms, options, place } = question;
  const { tool, description, risk, context, callId, message, input, declared, template } = request;
  const { user, session } = clientOf(context);
  const { key } = options;
  // An approval covers the tool as it was when the person was asked.
  const hash = digest(tool, description, risk, declared, template, definition);
  const identity =
    key === undefined ? randomBytes(32).toString('hex') : await rows.identify(digest(user, key, place, hash, args));
  return {
    id: identity.slice(0, ID_LENGTH),
    identity,
    definition: hash,
    made: hashOf(definition),
    status: 'waiting',
    tool,
    description,
    risk,
    caller: user,
    by: describeCaller(context),
    callId,
    recordId: context.recordId,
    key,
    message,
    input,
    declared,
    template,
    session: session.length >= RANDOM_ID ? session : `${instance}/${session}`,
    process: thisProcess(),
    exact: args,
    createdAt,
    expiresAt: createdAt + (options.expires ?? terms.expires),
  };
}
