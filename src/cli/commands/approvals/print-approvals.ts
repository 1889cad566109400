import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';
import type { ApprovalRecord } from '../../../guard/approval/kept/approval-record.ts';

/** An approval as a line of a table. */
export function toRow({ id, tool, risk, status, by, caller, createdAt, answer }: ApprovalRecord): string[] {
  return [toTime(createdAt), id, tool, risk, status, askedBy({ by, caller }), answer?.by ?? ''];
}

/** Everything about an approval, as lines for a terminal. */
export function describeApproval(approval: ApprovalRecord): string[] {
  const { id, status, message, by, caller, key, recordId, createdAt, expiresAt, answer } = approval;
  const said = answer === undefined ? undefined : `${answer.by}, ${toTime(answer.at)}`;
  const facts: [string, string | undefined][] = [
    ['approval', id],
    ['status', status],
    ['tool', `${approval.tool} (${approval.risk})`],
    ['asked by', askedBy({ by, caller })],
    ['asked', toTime(createdAt)],
    [status === 'waiting' ? 'until' : 'was open until', toTime(expiresAt)],
    ['key', key],
    ['call', recordId],
    ['answered by', said],
    ['good for', answer?.allow === true ? answer.scope : undefined],
    ['arguments', answer?.edited === true ? 'changed by who answered' : undefined],
    ['reason', answer?.reason],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(width)}  ${value}`]));
  return message === undefined ? lines : [...lines, '', ...message.split('\n')];
}

/** Who asks, on one line: a login service may have let in any name. */
export function askedBy({ by, caller }: Pick<ApprovalRecord, 'by' | 'caller'>): string {
  const name = revealHidden(caller).replaceAll(/\s+/g, ' ');
  return caller === '' ? by : `${by} (${name})`;
}

function toTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
