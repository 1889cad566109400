import { type JSX, useId, useState } from 'react';
import type { Approval, ApprovalLine } from '../api-types.ts';
import type { Api } from './api.ts';
import { Ago, RiskMark, Text } from './parts.tsx';
import { toolLink } from './use-route.ts';

/** The state of the card: answering, editing the arguments, or adding a line to the policy. */
type Step =
  | { readonly type: 'answer' }
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'always'; readonly scope: 'arguments' | 'tool'; readonly line: ApprovalLine };

/** A waiting approval with everything needed to answer it. */
export function ApprovalCard({ api, approval }: { readonly api: Api; readonly approval: Approval }): JSX.Element {
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState('');
  const [isSending, setSending] = useState(false);
  const [step, setStep] = useState<Step>({ type: 'answer' });
  const titleId = useId();
  const isChange = approval.isChange === true;
  const address = `/api/approvals/${approval.id}`;
  const attempt = (work: () => Promise<unknown>): void => {
    setSending(true);
    setFault('');
    work().catch((error: unknown) => {
      setSending(false);
      setFault(error instanceof Error ? error.message : String(error));
    });
  };
  const allow = (body: Readonly<Record<string, unknown>>): void =>
    attempt(() => api.post(address, { decision: 'allow', ...body }));
  const deny = (): void =>
    attempt(() => api.post(address, { decision: 'deny', ...(reason.trim() === '' ? {} : { reason }) }));
  const showLine = (scope: 'arguments' | 'tool'): void =>
    attempt(async () => {
      const line = await api.get<ApprovalLine>(`${address}/line?scope=${scope}`);
      setStep({ type: 'always', scope, line });
      setSending(false);
    });
  return (
    <article className={`card approval ${approval.risk}`} aria-labelledby={titleId}>
      <div className="row">
        <h3 id={titleId}>{isChange ? approval.tool : <a href={toolLink(approval.tool)}>{approval.tool}</a>}</h3>
        <RiskMark risk={approval.risk} />
        <span className="spread muted">
          {approval.caller} · <Ago since={approval.since} />
        </span>
      </div>
      {approval.question !== undefined && <p className="question">{approval.question}</p>}
      <p className="muted">{approval.description}</p>
      <Text text={approval.args} label={isChange ? 'The changes' : `Arguments of ${approval.tool}`} isWhole />
      {step.type === 'edit' && (
        <>
          <textarea
            className="mono"
            rows={Math.min(20, step.text.split('\n').length + 1)}
            value={step.text}
            aria-label={`Arguments of ${approval.tool} to run with, as JSON`}
            spellCheck={false}
            onChange={(event) => setStep({ type: 'edit', text: event.target.value })}
          />
          <p className="muted small">
            The call runs once with these arguments, after the tool and the policy check them.
          </p>
        </>
      )}
      {step.type === 'always' && (
        <>
          <p>This line is added under policy.approved of {step.line.files.join(', ')}:</p>
          <Text text={step.line.text} label="The line" isWhole />
        </>
      )}
      <form
        className="answer"
        onSubmit={(event) => {
          event.preventDefault();
          deny();
        }}
      >
        {step.type === 'answer' && (
          <button type="button" className="primary" disabled={isSending} onClick={() => allow({})}>
            {isChange ? 'Accept' : 'Allow once'}
          </button>
        )}
        {step.type === 'edit' && (
          <button
            type="button"
            className="primary"
            disabled={isSending}
            onClick={() => attempt(async () => api.post(address, { decision: 'allow', args: JSON.parse(step.text) }))}
          >
            Allow with these arguments
          </button>
        )}
        {step.type === 'always' && (
          <button type="button" className="primary" disabled={isSending} onClick={() => allow({ scope: step.scope })}>
            Add the line and allow
          </button>
        )}
        {!isChange && (
          <input
            value={reason}
            maxLength={1_000}
            aria-label="Reason for denying, which the model can read"
            placeholder="Reason for denying (the model reads it)"
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        <button type="submit" className="danger" disabled={isSending}>
          {isChange ? 'Refuse' : 'Deny'}
        </button>
      </form>
      {approval.isKept && (
        <div className="row">
          {step.type === 'answer' ? (
            <>
              <button type="button" disabled={isSending} onClick={() => allow({ scope: 'session' })}>
                Allow in this session
              </button>
              <button type="button" disabled={isSending} onClick={() => showLine('arguments')}>
                Always these arguments…
              </button>
              <button type="button" disabled={isSending} onClick={() => showLine('tool')}>
                Always this tool…
              </button>
              <button
                type="button"
                disabled={isSending}
                onClick={() => setStep({ type: 'edit', text: approval.input })}
              >
                Edit arguments…
              </button>
            </>
          ) : (
            <button type="button" disabled={isSending} onClick={() => setStep({ type: 'answer' })}>
              Back
            </button>
          )}
        </div>
      )}
      <p className="muted small">
        {isChange ? approval.id : `Call ${approval.callId}`}
        {approval.isKept && ` · approval ${approval.id}`}
      </p>
      {fault !== '' && <p role="alert">{fault}</p>}
    </article>
  );
}
