import type { CallOptions } from '../../pipeline/call-options.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** What makes a call that needs a yes end at once, with the approval that it waits for. */
export function deferApproval(key: string): CallOptions {
  const approval: CallOptions & { readonly approval: object } = { approval: { key, defer: true } };
  return approval;
}

/** The approvals that a call waits for; none where it failed for another reason. */
export function neededApprovals(error: ToolError): readonly string[] {
  if (error.code !== 'approval_required') return [];
  const { approvalId, approvalIds } = detailsOf(error);
  const ids: unknown[] = Array.isArray(approvalIds) ? approvalIds : [approvalId];
  return ids.filter((id) => typeof id === 'string');
}

/** The error of a call that waits for these approvals. */
export function withApprovals(error: ToolError, approvalIds: readonly string[]): ToolError {
  return Object.assign(error, { details: { approvalIds } });
}

function detailsOf(error: ToolError): Readonly<Record<string, unknown>> {
  const details = 'details' in error ? error.details : undefined;
  return isPlainObject(details) ? details : {};
}
