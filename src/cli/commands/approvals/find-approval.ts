import type { Board } from '../../../board/board.ts';
import type { ApprovalRecord } from '../../../guard/approval/kept/approval-record.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** The approval with this id, or with the only id that begins so. Throws where there is none or more than one. */
export async function findApproval({ approvals }: Pick<Board, 'approvals'>, id: string): Promise<ApprovalRecord> {
  const exact = await approvals.get(id);
  if (exact !== undefined) return exact;
  const all = await approvals.list({ status: 'all' });
  const alike = id.length < 4 ? [] : all.filter((approval) => approval.id.startsWith(id));
  const [only] = alike;
  if (only !== undefined && alike.length === 1) return only;
  const message =
    alike.length === 0
      ? `There is no approval "${id}". See what waits with: pegboard approvals list`
      : `Several approvals begin with "${id}": ${alike.map((one) => one.id).join(', ')}. Write more of it.`;
  throw new ToolError({ code: 'not_found', message });
}
