import { type FormEvent, type JSX, type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { CallAnswer, ToolDetail } from '../api-types.ts';
import type { Api } from './api.ts';
import { AppFrame } from './app-frame.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { CallResult } from './call-result.tsx';
import { FieldInput } from './field-input.tsx';
import { type Draft, emptyDraft, toDraft, toValue } from './form-draft.ts';
import { toForm } from './form-field.ts';
import type { Live } from './use-live.ts';

interface CallFormProps {
  readonly api: Api;
  readonly live: Live;
  readonly tool: ToolDetail;
}

type Ending = { readonly answer: CallAnswer; readonly args: unknown } | { readonly fault: string };

/** A form or JSON editor for the arguments, with the call and its result. */
export function CallForm({ api, live, tool }: CallFormProps): JSX.Element {
  const form = useMemo(() => toForm(tool.inputSchema), [tool.inputSchema]);
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(form));
  const [json, setJson] = useState<string>();
  const [ending, setEnding] = useState<Ending>();
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const hasForm = form.kind === 'group' || form.kind === 'variants';
  const takesNothing = form.kind === 'group' && form.fields.size === 0;
  const isForm = hasForm && json === undefined;
  const issues = new Map(
    (ending !== undefined && 'answer' in ending ? (ending.answer.error?.issues ?? []) : []).map((issue) => [
      issue.path,
      issue.message,
    ]),
  );
  const text = json ?? JSON.stringify(toValue(form, draft) ?? {}, undefined, 2);

  const fill = (value: unknown): void => {
    setDraft(toDraft(form, value));
    setJson(isForm ? undefined : JSON.stringify(value, undefined, 2));
  };
  const call = async (): Promise<void> => {
    let args: unknown;
    try {
      args = isForm ? (toValue(form, draft) ?? {}) : JSON.parse(text);
    } catch (error) {
      return setEnding({ fault: `The arguments are not JSON: ${error instanceof Error ? error.message : ''}` });
    }
    const controller = new AbortController();
    stop.current = controller;
    setRunning(true);
    setEnding(undefined);
    try {
      const path = `/api/tools/${encodeURIComponent(tool.name)}/call`;
      setEnding({ answer: await api.post<CallAnswer>(path, { args }, controller.signal), args });
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      setEnding({ fault: controller.signal.aborted ? 'You cancelled the call.' : fault });
    } finally {
      setRunning(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isRunning) void call();
  };
  const onKey = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
  };
  const waiting = live.approvals.pending.filter((one) => one.tool === tool.name && one.caller === 'inspector');

  return (
    <>
      <form className="call" onSubmit={submit} onKeyDown={onKey} aria-label={`Call ${tool.name}`} noValidate>
        {hasForm && !takesNothing && (
          <div className="row">
            <h2>Arguments</h2>
            <button
              type="button"
              className="quiet spread"
              aria-pressed={!isForm}
              onClick={() => (isForm ? setJson(text) : leaveJson())}
            >
              {isForm ? 'Edit as JSON' : 'Edit as a form'}
            </button>
          </div>
        )}
        {isForm && <FieldInput field={form} draft={draft} onChange={setDraft} path="" issues={issues} />}
        {isForm && takesNothing && <p className="muted">This tool takes no arguments.</p>}
        {!isForm && (
          <textarea
            className="mono"
            rows={8}
            spellCheck={false}
            aria-label="Arguments as JSON"
            value={text}
            onChange={(event) => setJson(event.target.value)}
          />
        )}
        <div className="row">
          {isRunning ? (
            // Separate keys: a button that changes its type while it is clicked would call again.
            <button key="cancel" type="button" className="danger" onClick={() => stop.current?.abort()}>
              Cancel
            </button>
          ) : (
            <button key="call" type="submit" className="primary" title="Ctrl+Enter">
              Call
            </button>
          )}
          {tool.examples.map(({ description, input }) => (
            <button key={description} type="button" className="quiet" title={description} onClick={() => fill(input)}>
              Example: {description}
            </button>
          ))}
        </div>
      </form>
      {waiting.map((approval) => (
        <ApprovalCard key={approval.id} api={api} approval={approval} />
      ))}
      {isRunning && waiting.length === 0 && (
        <p className="muted" role="status">
          Running…
        </p>
      )}
      {ending !== undefined && 'fault' in ending && <p role="alert">{ending.fault}</p>}
      {ending !== undefined && 'answer' in ending && <CallResult answer={ending.answer} />}
      {ending !== undefined && 'answer' in ending && ending.answer.ok && tool.app !== undefined && (
        <AppFrame
          key={ending.answer.callId}
          api={api}
          live={live}
          tool={tool.name}
          args={ending.args}
          answer={ending.answer}
        />
      )}
    </>
  );

  /** Switches back to the form with the typed values; stays if the text is not JSON. */
  function leaveJson(): void {
    try {
      setDraft(toDraft(form, JSON.parse(text)));
      setJson(undefined);
    } catch (error) {
      setEnding({ fault: `The arguments are not JSON: ${error instanceof Error ? error.message : ''}` });
    }
  }
}
