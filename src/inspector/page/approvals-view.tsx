import type { JSX } from 'react';
import type { AnsweredApproval } from '../api-types.ts';
import type { Api } from './api.ts';
import { ApprovalCard } from './approval-card.tsx';
import { Ago, Empty, Text } from './parts.tsx';
import type { Live } from './use-live.ts';

/** Waiting approvals, and the latest answers. */
export function ApprovalsView({ api, live }: { readonly api: Api; readonly live: Live }): JSX.Element {
  const { pending, settled } = live.approvals;
  return (
    <main className="single">
      <h1>Approvals</h1>
      {pending.map((approval) => (
        <ApprovalCard key={approval.id} api={api} approval={approval} />
      ))}
      {pending.length === 0 && live.board?.hasApprovals === false && (
        <Empty title="Approvals are not answered here">
          Start the agent or the server with <code>--inspect</code>, or give your board an inbox:{' '}
          <code>openBoard(files, {'{ approve: inbox.ask }'})</code>.
        </Empty>
      )}
      {pending.length === 0 && live.board?.hasApprovals !== false && (
        <Empty title="No call waits for approval">
          Calls that need approval by the policy or an agent appear here and wait. Set <code>approval</code> in the{' '}
          <code>policy</code> section, or in an agent.
        </Empty>
      )}
      {settled.length > 0 && (
        <section>
          <h2>Answered</h2>
          <ul className="plain">
            {settled.map((approval) => (
              <li key={approval.id}>
                <Answered approval={approval} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

const OUTCOMES = { allowed: 'Allowed', denied: 'Denied', ended: 'Not answered here', expired: 'Expired' } as const;

function Answered({ approval }: { readonly approval: AnsweredApproval }): JSX.Element {
  const { tool, outcome, reason, caller, by, at, args } = approval;
  return (
    <details className="line">
      <summary>
        <span className={`state ${outcome}`}>{OUTCOMES[outcome]}</span>
        <span className="name">{tool}</span>
        <span className="muted cut">{reason ?? (by === undefined ? caller : `by ${by}, for ${caller}`)}</span>
        <span className="muted spread">
          <Ago since={at} />
        </span>
      </summary>
      {approval.question !== undefined && <p className="question">{approval.question}</p>}
      {reason !== undefined && <p>“{reason}”</p>}
      {args === '' ? (
        <p className="muted small">Arguments are not stored after an approval is answered.</p>
      ) : (
        <Text text={args} label={`Arguments of ${tool}`} />
      )}
    </details>
  );
}
