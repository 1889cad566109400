import type { ToolError } from '../../tool/tool-error.ts';

/** Returns the approval that a call waits for; `undefined` if it failed for another reason or nobody answered in time. */
export function neededApproval({ code, approvalId, reason }: ToolError): string | undefined {
  return code === 'approval_required' && reason !== 'expired' ? approvalId : undefined;
}
