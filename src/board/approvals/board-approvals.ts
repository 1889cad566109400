import { isDeepStrictEqual } from 'node:util';
import {
  type ApprovalRecord,
  type ApprovalRow,
  type ApprovalScope,
  type ApprovalStatus,
  toRecord,
} from '../../guard/approval/kept/approval-record.ts';
import type { ApprovalRows } from '../../guard/approval/kept/approval-rows.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { PolicyLine, PolicyLines } from './policy-lines.ts';

/** Which questions are wanted. */
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
      /** What else the yes is good for. `arguments` and `tool` write a line into the policy. Default: `once`. */
      readonly scope?: ApprovalScope | undefined;
      /** Arguments to run with in place of those that were asked about. Only for a yes for `once`. */
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** Who answers. Default: `code`. */
      readonly by?: string | undefined;
    }
  | {
      readonly allow: false;
      /** What the model gets to read. */
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
  /** Questions as they come and as they change, from now on, until the signal aborts. */
  follow(signal?: AbortSignal): AsyncGenerator<ApprovalRecord, void>;
}

/** What the questions of a board need of it. */
export interface ApprovalParts {
  readonly rows: ApprovalRows;
  readonly lines: PolicyLines;
  readonly findTool: (name: string) => Tool | undefined;
}

/** Opens the questions of a board. */
export function openBoardApprovals({ rows, lines, findTool }: ApprovalParts): BoardApprovals {
  const find = async (id: string): Promise<ApprovalRow> => {
    const row = await rows.get(id);
    if (row !== undefined) return row;
    const message = `There is no approval "${id}". See what waits with: pegboard approvals list`;
    throw new ToolError({ code: 'not_found', message });
  };
  return {
    async list({ status = 'waiting', caller } = {}) {
      const found = await rows.list({ over: status !== 'waiting' && status !== 'allowed' });
      return found
        .filter((row) => (status === 'all' || row.status === status) && (caller === undefined || row.caller === caller))
        .map(toRecord);
    },
    async get(id) {
      const row = await rows.get(id);
      return row === undefined ? undefined : toRecord(row);
    },
    async answer(id, reply) {
      const given = { by: reply.by ?? 'code', at: Date.now() };
      if (!reply.allow) {
        const reason = reply.reason?.trim() || undefined;
        return toRecord(await rows.answer(id, { ...given, allow: false, scope: 'once', reason }));
      }
      const { scope = 'once', args } = reply;
      const row = await find(id);
      const isOpen = row.status === 'waiting';
      if (args !== undefined && scope !== 'once') throw refuseScope(scope);
      const edited = args === undefined || !isOpen ? undefined : await checkEdited(row, args, findTool(row.tool));
      const change = edited === undefined ? {} : { args: edited, edited: true as const };
      const line = isOpen && isForGood(scope) ? await lines.plan(row, scope) : undefined;
      // Written first: the call that goes on reads the files again.
      line?.write();
      try {
        return toRecord(await rows.answer(id, { ...given, allow: true, scope, ...change }));
      } catch (error) {
        // Another answer was faster, and counts.
        line?.undo();
        throw error;
      }
    },
    async policyLine(id, scope) {
      const { files, text } = await lines.plan(await find(id), scope);
      return { files, text };
    },
    async withdraw(id) {
      const row = await rows.end(id, 'ended');
      return row === undefined ? undefined : toRecord(row);
    },
    follow: (signal) => followRows(rows, signal),
  };
}

async function* followRows(rows: ApprovalRows, signal: AbortSignal | undefined): AsyncGenerator<ApprovalRecord, void> {
  let heard = Promise.withResolvers<void>();
  const wake = (): void => heard.resolve();
  const stop = rows.watch(wake);
  signal?.addEventListener('abort', wake, { once: true });
  try {
    let known: Map<string, ApprovalStatus> | undefined;
    for (;;) {
      if (signal?.aborted === true) return;
      const now = await rows.list({ over: true });
      const fresh = known === undefined ? [] : now.filter(({ id, status }) => known?.get(id) !== status);
      known = new Map(now.map(({ id, status }) => [id, status]));
      for (const row of fresh) yield toRecord(row);
      await heard.promise;
      heard = Promise.withResolvers();
    }
  } finally {
    stop();
    signal?.removeEventListener('abort', wake);
  }
}

function isForGood(scope: ApprovalScope): scope is 'arguments' | 'tool' {
  return scope === 'arguments' || scope === 'tool';
}

/** The arguments that a person wrote. Values that they left as shown, without secrets, are what they were. */
async function checkEdited(
  { exact, input = {}, tool: name }: ApprovalRow,
  args: Readonly<Record<string, unknown>>,
  tool: Tool | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  // Rows keep the arguments as JSON has them.
  const before = Object(exact) as Readonly<Record<string, unknown>>;
  const edited = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      Object.hasOwn(before, key) && isDeepStrictEqual(value, input[key]) ? before[key] : value,
    ]),
  );
  if (tool === undefined) {
    const message = `The board has no tool "${name}" now, so its arguments cannot be changed. Deny the call, or allow it as it is.`;
    throw new ToolError({ code: 'not_found', message, toolName: name });
  }
  const checked = await tool.validate(edited);
  if (!checked.ok) throw new ToolError(explainIssues(tool, checked.issues, edited));
  return edited;
}

function refuseScope(scope: string): ToolError {
  const message = `Changed arguments are allowed once: leave out scope "${scope}", or the arguments.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'scope' });
}
