import { type JSX, useState } from 'react';
import type { CallRecord } from '../api-types.ts';
import { Empty, formatDuration, Notes, Text } from './parts.tsx';
import { toolLink } from './use-route.ts';

/** All calls of the board as they happen, with folded arguments and results. */
export function CallsView({ calls }: { readonly calls: readonly CallRecord[] }): JSX.Element {
  const [filter, setFilter] = useState('');
  const [isFailedOnly, setFailedOnly] = useState(false);
  const words = filter.trim().toLowerCase();
  const isFiltered = words !== '' || isFailedOnly;
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
          Calls of agents, MCP clients and your code appear here as they happen. Make one yourself under{' '}
          <a href="#/tools">Tools</a>.
        </Empty>
      )}
      {calls.length > 0 && shown.length === 0 && (
        <Empty title="No call matches">Remove the filter to see all {calls.length}.</Empty>
      )}
      {/* Filtered calls are a flat list; otherwise inner calls are below the call that made them. */}
      <CallList trees={isFiltered ? shown.map((call) => ({ call, inner: [] })) : toTrees(shown)} />
    </main>
  );
}

/** A call with its inner calls. */
interface CallTree {
  readonly call: CallRecord;
  readonly inner: readonly CallTree[];
}

/** Groups calls below the call that made them, oldest first. A call without a listed parent is at the top. */
function toTrees(calls: readonly CallRecord[]): CallTree[] {
  const makers = new Set(calls.map(({ callId }) => callId));
  const below = new Map<string, CallRecord[]>();
  const tops: CallRecord[] = [];
  for (const call of calls) {
    const { parent } = call;
    if (parent === undefined || !makers.has(parent)) tops.push(call);
    else below.set(parent, [call, ...(below.get(parent) ?? [])]);
  }
  const toTree = (call: CallRecord): CallTree => {
    const inner = below.get(call.callId) ?? [];
    // Callers may reuse a call id: the inner calls go below one of them.
    below.delete(call.callId);
    return { call, inner: inner.map(toTree) };
  };
  return tops.map(toTree);
}

function CallList({
  trees,
  isInner = false,
}: {
  readonly trees: readonly CallTree[];
  readonly isInner?: boolean;
}): JSX.Element {
  return (
    <ul className={isInner ? 'plain inner' : 'plain'}>
      {trees.map(({ call, inner }) => (
        <li key={call.id}>
          <Call call={call} />
          {inner.length > 0 && <CallList trees={inner} isInner />}
        </li>
      ))}
    </ul>
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
      <Text text={args === '' ? '(none)' : args} label="Arguments" />
      <h3>{outcome?.ok === false ? `Failed: ${outcome.error?.code ?? 'unknown'}` : 'Result'}</h3>
      {outcome === undefined ? (
        <p className="muted">It is running, or waits for approval.</p>
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
