import { type JSX, useEffect, useState } from 'react';
import type { ToolDetail } from '../api-types.ts';
import type { Api } from './api.ts';
import { CallForm } from './call-form.tsx';
import { formatDuration, Notes, RiskMark, Text } from './parts.tsx';
import type { Live } from './use-live.ts';

interface ToolPanelProps {
  readonly api: Api;
  readonly live: Live;
  readonly name: string;
}

/** A tool with its details and a form to call it. */
export function ToolPanel({ api, live, name }: ToolPanelProps): JSX.Element {
  const [tool, setTool] = useState<ToolDetail>();
  const [fault, setFault] = useState('');
  const { revision } = live;
  useEffect(() => {
    const stop = new AbortController();
    api.get<ToolDetail>(`/api/tools/${encodeURIComponent(name)}`, stop.signal).then(
      (found) => {
        setTool(found);
        setFault('');
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setFault(error instanceof Error ? error.message : String(error));
      },
    );
    return () => stop.abort();
  }, [api, name, revision]);

  if (fault !== '') return <p role="alert">{fault}</p>;
  if (tool === undefined) return <p className="muted">Reading {name}…</p>;
  const facts = [
    ['source', tool.source],
    ['kind', tool.kind],
    ['category', tool.category],
    ['tags', tool.tags.join(', ')],
    ['app', tool.app],
    ['timeout', tool.timeoutMs === undefined ? '' : formatDuration(tool.timeoutMs)],
    ['in a prompt', `${tool.tokens.toLocaleString('en')} tokens`],
  ].filter(([, value]) => value !== null && value !== undefined && value !== '');
  return (
    <>
      <a className="back" href="#/tools">
        ← All tools
      </a>
      <div className="row">
        <h1 className="name">{tool.name}</h1>
        <RiskMark risk={tool.risk} isStated={tool.riskStated} />
      </div>
      <p className="description">{tool.description}</p>
      {tool.isDeprecated && <p className="warning">This tool is deprecated.</p>}
      <Notes notes={tool.notes} />
      <ul className="facts">
        {facts.map(([label, value]) => (
          <li key={label}>
            <span className="muted">{label}</span> {value}
          </li>
        ))}
      </ul>
      <CallForm key={JSON.stringify(tool.inputSchema)} api={api} live={live} tool={tool} />
      <details className="line schema">
        <summary>Signature and schema</summary>
        <p className="mono">{tool.signature}</p>
        <Text text={JSON.stringify(tool.inputSchema, undefined, 2)} label="Input schema" />
        {tool.outputSchema !== undefined && (
          <>
            <h3>Output</h3>
            <Text text={JSON.stringify(tool.outputSchema, undefined, 2)} label="Output schema" />
          </>
        )}
      </details>
    </>
  );
}
