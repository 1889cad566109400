import { type JSX, useEffect, useRef, useState } from 'react';
import type { AppAnswer, AppFrame as OpenedApp, CallAnswer } from '../api-types.ts';
import type { Api } from './api.ts';
import { openAppLine } from './app-bridge.ts';
import { ApprovalCard } from './approval-card.tsx';
import { Notes } from './parts.tsx';
import type { Live } from './use-live.ts';

interface AppFrameProps {
  readonly api: Api;
  readonly live: Live;
  /** The tool of the app, the arguments of its call, and the result. */
  readonly tool: string;
  readonly args: unknown;
  readonly answer: CallAnswer;
}

const LEAST_HEIGHT = 60;
const MOST_HEIGHT = 800;

/** The app of a tool (MCP Apps) in a frame with its own origin. It communicates only with the page, by messages. */
export function AppFrame({ api, live, tool, args, answer }: AppFrameProps): JSX.Element | null {
  const [app, setApp] = useState<OpenedApp>();
  const [fault, setFault] = useState('');
  const [height, setHeight] = useState(240);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    api.post<OpenedApp>('/api/apps', { tool }, stop.signal).then(setApp, (error: unknown) => {
      if (!stop.signal.aborted) setFault(error instanceof Error ? error.message : String(error));
    });
    return () => stop.abort();
  }, [api, tool]);
  useEffect(() => {
    if (app === undefined || frame.current === null) return;
    const stop = new AbortController();
    const ask = async (what: 'call' | 'read', params: unknown): Promise<unknown> => {
      const { mcpResult } = await api.post<AppAnswer>(`/api/apps/${app.id}/${what}`, params, stop.signal);
      return mcpResult;
    };
    const line = openAppLine(frame.current, {
      callTool: ({ name, arguments: given }) => ask('call', { name, arguments: given }),
      readResource: ({ uri }) => ask('read', { uri }),
      resize: (wanted) => setHeight(Math.min(Math.max(Math.ceil(wanted), LEAST_HEIGHT), MOST_HEIGHT)),
      ready: () => {
        line.notify('ui/notifications/tool-input', { arguments: args });
        line.notify('ui/notifications/tool-result', answer.mcpResult);
      },
    });
    return () => {
      stop.abort();
      line.close();
    };
  }, [api, app, args, answer]);

  if (fault !== '') return <p role="alert">{fault}</p>;
  if (app === undefined) return null;
  const waiting = live.approvals.pending.filter((one) => one.caller === `app ${app.page} in inspector`);
  const refused = app.refused.map((address) => `The app requested ${address}, which is not allowed.`);
  return (
    <section aria-label="App">
      <div className="row">
        <h2>App</h2>
        <code>{app.page}</code>
        <span className="muted spread">of {app.place}</span>
      </div>
      {waiting.map((approval) => (
        <ApprovalCard key={approval.id} api={api} approval={approval} />
      ))}
      <iframe
        ref={frame}
        className="app"
        title={`App of ${tool}`}
        src={`/apps/${app.id}`}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
        height={height}
      />
      <Notes notes={refused} />
    </section>
  );
}
