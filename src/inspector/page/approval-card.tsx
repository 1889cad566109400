import { type JSX, useId, useState } from 'react';
import type { Approval } from '../api-types.ts';
import type { Api } from './api.ts';
import { Ago, RiskMark, Text } from './parts.tsx';
import { toolLink } from './use-route.ts';

/** A question that waits, with everything needed to answer it. */
export function ApprovalCard({ api, approval }: { readonly api: Api; readonly approval: Approval }): JSX.Element {
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState('');
  const [isSending, setSending] = useState(false);
  const titleId = useId();
  const answer = (decision: 'allow' | 'deny'): void => {
    setSending(true);
    setFault('');
    const body = decision === 'deny' && reason.trim() !== '' ? { decision, reason } : { decision };
    api.post(`/api/approvals/${approval.id}`, body).catch((error: unknown) => {
      setSending(false);
      setFault(error instanceof Error ? error.message : String(error));
    });
  };
  return (
    <article className={`card approval ${approval.risk}`} aria-labelledby={titleId}>
      <div className="row">
        <h3 id={titleId}>
          <a href={toolLink(approval.tool)}>{approval.tool}</a>
        </h3>
        <RiskMark risk={approval.risk} />
        <span className="spread muted">
          {approval.caller} · <Ago since={approval.since} />
        </span>
      </div>
      {approval.question !== undefined && <p className="question">{approval.question}</p>}
      <p className="muted">{approval.description}</p>
      <Text text={approval.args} label={`Arguments of ${approval.tool}`} isWhole />
      <form
        className="answer"
        onSubmit={(event) => {
          event.preventDefault();
          answer('deny');
        }}
      >
        <button type="button" className="primary" disabled={isSending} onClick={() => answer('allow')}>
          Allow once
        </button>
        <input
          value={reason}
          maxLength={1_000}
          aria-label="Why not: the model gets to read it"
          placeholder="Why not? The model reads this"
          onChange={(event) => setReason(event.target.value)}
        />
        <button type="submit" className="danger" disabled={isSending}>
          Deny
        </button>
      </form>
      <p className="muted small">Call {approval.callId}</p>
      {fault !== '' && <p role="alert">{fault}</p>}
    </article>
  );
}
