import { type FormEvent, type JSX, useId, useMemo, useState } from 'react';
import type { Question } from '../api-types.ts';
import type { Api } from './api.ts';
import { FieldInput } from './field-input.tsx';
import { type Draft, emptyDraft, toValue } from './form-draft.ts';
import { toForm } from './form-field.ts';

/** A server's question to the person who made a call here. Separates the board's text from the server's. */
export function QuestionCard({ api, question }: { readonly api: Api; readonly question: Question }): JSX.Element {
  const schema = question.mode === 'form' ? question.schema : undefined;
  const form = useMemo(() => toForm(schema ?? {}), [schema]);
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(form));
  const [fault, setFault] = useState('');
  const titleId = useId();
  const answer = (action: 'accept' | 'decline'): void => {
    setFault('');
    const content = action === 'accept' && schema !== undefined ? { content: toValue(form, draft) ?? {} } : {};
    api.post(`/api/questions/${question.id}`, { action, ...content }).catch((error: unknown) => {
      setFault(error instanceof Error ? error.message : String(error));
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    answer('accept');
  };
  return (
    <article className="card question-of-server" aria-labelledby={titleId}>
      <h3 id={titleId}>
        The server “{question.source}” asks, in a call of <span className="mono">{question.tool}</span>
      </h3>
      <blockquote>{question.message}</blockquote>
      <form onSubmit={submit} noValidate>
        {schema !== undefined && (
          <FieldInput field={form} draft={draft} onChange={setDraft} path="" issues={new Map()} />
        )}
        {question.mode === 'url' && <Address url={question.url} host={question.host} />}
        <div className="row">
          <button type="submit" className="primary">
            {question.mode === 'url' ? 'I have opened the page' : 'Send to the server'}
          </button>
          <button type="button" className="danger" onClick={() => answer('decline')}>
            Decline
          </button>
        </div>
      </form>
      <p className="muted small">This is not an approval. Your input is sent to the server.</p>
      {fault !== '' && <p role="alert">{fault}</p>}
    </article>
  );
}

/** An address to open; only web addresses become links. */
function Address({ url, host }: { readonly url: string; readonly host: string }): JSX.Element {
  return (
    <p>
      It asks you to open a page of <strong className="mono">{host || 'an unreadable address'}</strong>:{' '}
      {/^https?:\/\//i.test(url) ? (
        <a href={url} target="_blank" rel="noreferrer noopener">
          {url}
        </a>
      ) : (
        <code>{url}</code>
      )}
    </p>
  );
}
