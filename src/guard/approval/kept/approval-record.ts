import { createHash, randomBytes } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';
import type { ToolRisk } from '../../../tool/tool-metadata.ts';

/**
 * The state of a question: it waits; it was allowed, and the call has not run yet; it was denied; no one answered in time; the call ended
 * before it was answered; or the call has used the approval.
 */
export type ApprovalStatus = 'waiting' | 'allowed' | 'denied' | 'expired' | 'ended' | 'spent';

/** The scope of an approval: this call, further calls of the tool in the same session, or, by a line in the policy, calls from now on. */
export type ApprovalScope = 'once' | 'session' | 'arguments' | 'tool';

/** The person who answered a question, the time and the way. */
export interface GivenAnswer {
  readonly allow: boolean;
  readonly by: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly scope: ApprovalScope;
  /** Why not, in the person's words. */
  readonly reason?: string | undefined;
  /** True when the person changed the arguments. */
  readonly edited?: true | undefined;
}

/** A question about a call, as the board keeps it. */
export interface ApprovalRecord {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** The user that the call is for; empty for the user of the board. */
  readonly caller: string;
  /** The maker of the call, in words: `code`, `MCP client`, `agent helper`. */
  readonly by: string;
  readonly callId: string;
  /** The call in the board's record, where it is recorded. */
  readonly recordId?: string | undefined;
  /** The caller's name for the call. */
  readonly key?: string | undefined;
  /** The question as people read it, without secrets. Gone when the question is over. */
  readonly message?: string | undefined;
  /** The arguments without secrets. Gone when the question is over. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The names of arguments that the tool's schema declares, in its order. */
  readonly declared: readonly string[];
  /** The tool's own words for the question. */
  readonly template?: string | undefined;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly endedAt?: number | undefined;
  readonly answer?: GivenAnswer | undefined;
}

/** A question with the parts that only the board uses. */
export interface ApprovalRow extends ApprovalRecord {
  /** The session in which the call is made, different for every session of every process. */
  readonly session: string;
  /** The process that waits; another one can resume a call that has a key. */
  readonly process: string;
  /** A hash of caller, key, tool and arguments with the board's key: a call must share it to resume with this question. */
  readonly identity: string;
  /** A hash of the tool's definition when the person was asked. */
  readonly definition: string;
  /** The hash of what the tool was made of then, as a line of a policy has it; `undefined` in rows of earlier versions. */
  readonly made?: string | undefined;
  /** The exact arguments, gone when the question is over. */
  readonly exact?: unknown;
  /** The person's changed arguments, removed when the call has used the approval. */
  readonly edited?: Readonly<Record<string, unknown>> | undefined;
}

/** Reads a row; `undefined` for what is none. */
export function parseRow(value: unknown): ApprovalRow | undefined {
  if (!isPlainObject(value) || typeof value['id'] !== 'string' || typeof value['status'] !== 'string') return undefined;
  // The record is sealed: only a process with the board's key wrote it, and this is the shape it writes.
  return value as unknown as ApprovalRow;
}

/** Returns the part of a row that callers of the board may see. */
export function toRecord(row: ApprovalRow): ApprovalRecord {
  const { session: _, process: __, identity: ___, definition: ____, made: _______, ...rest } = row;
  const { exact: _____, edited: ______, ...record } = rest;
  return record;
}

/** Closes a row: question and answer stay, the arguments are removed. */
export function closeRow(row: ApprovalRow, status: ApprovalStatus, endedAt: number): ApprovalRow {
  const { exact: _, edited: __, input: ___, message: ____, template: _____, ...rest } = row;
  return { ...rest, status, endedAt };
}

/** Selects questions. */
export interface ApprovalFilter {
  /** Default: those that wait. */
  readonly status?: ApprovalStatus | 'all' | undefined;
  /** Only questions about calls for this user; empty for the user of the board. */
  readonly caller?: string | undefined;
}

/** An answer to a question. */
export type ApprovalReply =
  | {
      readonly allow: true;
      /** The scope of the approval. `arguments` and `tool` write a line into the policy. Default: `once`. */
      readonly scope?: ApprovalScope | undefined;
      /** Arguments to run with in place of those that were asked about. Only for an approval for `once`. */
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** The person who answers. Default: `code`. */
      readonly by?: string | undefined;
    }
  | {
      readonly allow: false;
      /** The reason for the model. */
      readonly reason?: string | undefined;
      readonly by?: string | undefined;
    };

/** The questions of a board about its calls, asked by any of its processes. */
export interface BoardApprovals {
  /** Questions, the oldest first. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>;
  /** A question by its id, or `undefined`. */
  get(id: string): Promise<ApprovalRecord | undefined>;
  /**
   * Answers a question. The first answer counts: a second one rejects with `invalid_arguments` and says what was answered, by whom.
   * Arguments that do not fit the tool reject too, and the question waits on.
   */
  answer(id: string, reply: ApprovalReply): Promise<ApprovalRecord>;
  /** The line that an answer for good would write into the policy, to be shown first. Rejects where there is no file to write to. */
  policyLine(id: string, scope: 'arguments' | 'tool'): Promise<PolicyLine>;
  /** Takes a question back whose call will not be made again. */
  withdraw(id: string): Promise<ApprovalRecord | undefined>;
  /** Questions that wait now, then all as they come and as they change, until the signal aborts. */
  follow(signal?: AbortSignal): AsyncGenerator<ApprovalRecord, void>;
}

/** A line for `policy.approved`, not written yet. */
export interface PolicyLine {
  /** The files that get it, as messages name them. */
  readonly files: readonly string[];
  /** The line as it will stand there. */
  readonly text: string;
}

/** A hash of values that is the same for the same values, in whichever order keys stand. */
export function digest(...values: readonly unknown[]): string {
  return createHash('sha256').update(write(values)).digest('hex');
}

/** Writes a value so that no other one is written the same. An instance of an unknown class is like no other value. */
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (isPlainObject(value)) {
    const keys = Object.keys(value).toSorted();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join(',')}}`;
  }
  if (value instanceof Date) return `date(${value.getTime()})`;
  if (value instanceof Map) return `map(${write([...value])})`;
  if (value instanceof Set) return `set(${write([...value])})`;
  if (ArrayBuffer.isView(value))
    return `bytes(${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')})`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return `unknown(${randomBytes(16).toString('hex')})`;
  return `${typeof value}(${Object.is(value, -0) ? '-0' : String(value)})`;
}
