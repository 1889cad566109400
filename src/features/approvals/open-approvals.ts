import { isDeepStrictEqual } from 'node:util';
import {
  type ApprovalRecord,
  type ApprovalRow,
  type ApprovalScope,
  type ApprovalStatus,
  type BoardApprovals,
  toRecord,
} from '../../guard/approval/kept/approval-record.ts';
import type { ApprovalRows, RowAnswer } from '../../guard/approval/kept/approval-rows.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { PolicyLines } from './policy-lines.ts';

/** The parts of a board that its questions use. */
export interface ApprovalParts {
  readonly rows: ApprovalRows;
  readonly lines: PolicyLines;
  readonly findTool: (name: string) => Tool | undefined;
  /** Writes an answer to the board's record: the process of the call may have ended, and the call may never resume. */
  readonly note: (row: ApprovalRow) => Promise<void>;
  /** Notes a line of the policy that a person has agreed to. */
  readonly consent: (line: unknown) => Promise<void>;
}

/** Opens the questions of a board. */
export function openBoardApprovals({ rows, lines, findTool, note, consent }: ApprovalParts): BoardApprovals {
  const find = async (id: string): Promise<ApprovalRow> => {
    const row = await rows.get(id);
    if (row !== undefined) return row;
    const message = `There is no approval "${id}". See what waits with: pegboard approvals list`;
    throw new ToolError({ code: 'not_found', message });
  };
  const answer = async (id: string, given: RowAnswer): Promise<ApprovalRecord> => {
    const row = await rows.answer(id, given);
    await note(row);
    return toRecord(row);
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
        return answer(id, { ...given, allow: false, scope: 'once', reason });
      }
      const { scope = 'once', args } = reply;
      const row = await find(id);
      const isOpen = row.status === 'waiting';
      if (args !== undefined && scope !== 'once') throw refuseScope(scope);
      const edited = args === undefined || !isOpen ? undefined : await checkEdited(row, args, findTool(row.tool));
      const change = edited === undefined ? {} : { args: edited, edited: true as const };
      const line = isOpen && isForGood(scope) ? await lines.plan(row, scope) : undefined;
      // Written first, because the call that resumes reads the files again.
      if (line !== undefined) await consent(line.line);
      line?.write();
      try {
        return await answer(id, { ...given, allow: true, scope, ...change });
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
  let changed = Promise.withResolvers<void>();
  const wake = (): void => changed.resolve();
  const stop = rows.watch(wake);
  signal?.addEventListener('abort', wake, { once: true });
  try {
    let known = new Map<string, ApprovalStatus>();
    let isFirst = true;
    for (;;) {
      if (signal?.aborted === true) return;
      const now = await rows.list({ over: true });
      const before = known;
      const fresh = now.filter(({ id, status }) => (isFirst ? status === 'waiting' : before.get(id) !== status));
      known = new Map(now.map(({ id, status }) => [id, status]));
      isFirst = false;
      for (const row of fresh) yield toRecord(row);
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stop();
    signal?.removeEventListener('abort', wake);
  }
}

function isForGood(scope: ApprovalScope): scope is 'arguments' | 'tool' {
  return scope === 'arguments' || scope === 'tool';
}

/** Checks arguments that a person edited. Values that the person left as shown, without secrets, get their original content back. */
async function checkEdited(
  { exact, input = {}, tool: name }: ApprovalRow,
  args: Readonly<Record<string, unknown>>,
  tool: Tool | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  // Rows store the arguments as JSON.
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
