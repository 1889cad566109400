import { type JSX, useState } from 'react';
import type { CallRecord } from '../api-types.ts';
import { Empty, formatDuration, Notes, Text } from './parts.tsx';
import { toolLink } from './use-route.ts';

/** All calls of the board as they happen; arguments and results are folded. */
export function CallsView({ calls }: { readonly calls: readonly CallRecord[] }): JSX.Element {
  const [filter, setFilter] = useState('');
  const [isFailedOnly, setFailedOnly] = useState(false);
  const words = filter.trim().toLowerCase();
  const shown = calls.filter(
    ({ tool, caller, outcome }) =>
      `${tool} ${caller}`.toLowerCase().includes(words) && (!isFailedOnly || outcome?.ok === false),
  );
  return (
    <main className="single">
      <div className="row">
        <h1>Calls</h1>
        <input
          type="search"
          className="spread"
          placeholder="Tool or caller"
          aria-label="Show calls of this tool or caller"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <label className="check">
          <input type="checkbox" checked={isFailedOnly} onChange={() => setFailedOnly(!isFailedOnly)} /> Failed only
        </label>
      </div>
      {calls.length === 0 && (
        <Empty title="No calls yet">
          Calls of agents, MCP clients and your code show up here as they happen. Make one yourself under{' '}
          <a href="#/tools">Tools</a>.
        </Empty>
      )}
      {calls.length > 0 && shown.length === 0 && (
        <Empty title="No call fits">Take back the filter to see all {calls.length}.</Empty>
      )}
      <ul className="plain">
        {shown.map((call) => (
          <li key={call.id}>
            <Call call={call} />
          </li>
        ))}
      </ul>
    </main>
  );
}

function Call({ call }: { readonly call: CallRecord }): JSX.Element {
  const { tool, caller, args, startedAt, durationMs, outcome, callId } = call;
  const state = outcome === undefined ? 'running' : outcome.ok ? 'ok' : 'failed';
  return (
    <details className="line">
      <summary>
        <span className={`dot ${state}`} role="img" aria-label={state} />
        <span className="name">{tool}</span>
        <span className="muted cut mono">{args.replaceAll(/\s+/g, ' ')}</span>
        <span className="muted spread">
          {caller} · {durationMs === undefined ? 'running' : formatDuration(durationMs)} ·{' '}
          <time dateTime={new Date(startedAt).toISOString()}>{new Date(startedAt).toLocaleTimeString()}</time>
        </span>
      </summary>
      <h3>Arguments</h3>
      <Text text={args === '' ? '(none were read)' : args} label="Arguments" />
      <h3>{outcome?.ok === false ? `Failed: ${outcome.error?.code ?? 'unknown'}` : 'Result'}</h3>
      {outcome === undefined ? (
        <p className="muted">It is still running, or waits for an approval.</p>
      ) : (
        <Text text={outcome.text === '' ? '(no output)' : outcome.text} label="Result" />
      )}
      <Notes notes={outcome?.notices ?? []} />
      <p className="muted small">
        Call {callId} · <a href={toolLink(tool)}>Open the tool</a>
      </p>
    </details>
  );
}
