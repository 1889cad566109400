import { createHash, randomBytes } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';
import type { ToolRisk } from '../../../tool/tool-metadata.ts';

/**
 * The state of a question: waiting; allowed, but the call has not run yet; denied; expired without an answer; ended, because the call ended
 * first; or spent, because the call has used the approval.
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
  /** The person's reason for a denial. */
  readonly reason?: string | undefined;
  /** True when the person changed the arguments. */
  readonly edited?: true | undefined;
}

/** A question about a call, as the board stores it. */
export interface ApprovalRecord {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** The user that the call is for; empty for the user of the board. */
  readonly caller: string;
  /** Describes the caller: `code`, `MCP client`, `agent helper`. */
  readonly by: string;
  readonly callId: string;
  /** The id of the call in the board's record, if it is recorded. */
  readonly recordId?: string | undefined;
  /** The caller's name for the call. */
  readonly key?: string | undefined;
  /** The question for people, without secrets. Removed when the question is closed. */
  readonly message?: string | undefined;
  /** The arguments without secrets. Removed when the question is closed. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The argument names that the tool's schema declares, in its order. */
  readonly declared: readonly string[];
  /** The tool's own wording of the question. */
  readonly template?: string | undefined;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly endedAt?: number | undefined;
  readonly answer?: GivenAnswer | undefined;
}

/** A question with the fields that only the board uses. */
export interface ApprovalRow extends ApprovalRecord {
  /** The session of the call, different for every session of every process. */
  readonly session: string;
  /** The waiting process; a call with a key can be resumed by another one. */
  readonly process: string;
  /** A hash of caller, key, tool and arguments with the board's key. A call resumes with this question only if its own hash is equal. */
  readonly identity: string;
  /** A hash of the tool's definition when the person was asked. */
  readonly definition: string;
  /** The hash of the tool's definition at that time, in the form used by lines of a policy; `undefined` in rows of earlier versions. */
  readonly made?: string | undefined;
  /** The exact arguments. Removed when the question is closed. */
  readonly exact?: unknown;
  /** The arguments as the person changed them. Removed when the call has used the approval. */
  readonly edited?: Readonly<Record<string, unknown>> | undefined;
}

/** Reads a row; `undefined` if it is not valid. */
export function parseRow(value: unknown): ApprovalRow | undefined {
  if (!isPlainObject(value) || typeof value['id'] !== 'string' || typeof value['status'] !== 'string') return undefined;
  // Rows are sealed: only a process with the board's key can have written it, in this form.
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

/** A filter for questions. */
export interface ApprovalFilter {
  /** Default: waiting ones. */
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
      /** Arguments to run with instead of the requested ones. Only for an approval for `once`. */
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

/** The questions about a board's calls, from all its processes. */
export interface BoardApprovals {
  /** Returns questions, the oldest first. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>;
  /** Returns the question with an id, or `undefined`. */
  get(id: string): Promise<ApprovalRecord | undefined>;
  /**
   * Answers a question. The first answer counts: a second one rejects with `invalid_arguments` and says who answered what. Arguments that
   * the tool does not accept are rejected too, and the question stays open.
   */
  answer(id: string, reply: ApprovalReply): Promise<ApprovalRecord>;
  /** Returns the line that a permanent answer would write into the policy, to show it first. Rejects when there is no file to write to. */
  policyLine(id: string, scope: 'arguments' | 'tool'): Promise<PolicyLine>;
  /** Withdraws a question whose call will not be repeated. */
  withdraw(id: string): Promise<ApprovalRecord | undefined>;
  /** Yields the waiting questions, then each one that is added or changes, until the signal aborts. */
  follow(signal?: AbortSignal): AsyncGenerator<ApprovalRecord, void>;
}

/** A line for `policy.approved` that is not written yet. */
export interface PolicyLine {
  /** The files to change, as messages name them. */
  readonly files: readonly string[];
  /** The text of the line in the file. */
  readonly text: string;
}

/** Hashes values. Equal values have the same hash, whatever the order of their keys. */
export function digest(...values: readonly unknown[]): string {
  return createHash('sha256').update(write(values)).digest('hex');
}

/** Serializes a value so that different values have different texts. An instance of an unknown class differs from every other value. */
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
