import { type JSX, useEffect } from 'react';
import type { Api } from './api.ts';
import { ApprovalsView } from './approvals-view.tsx';
import { CallsView } from './calls-view.tsx';
import { Text } from './parts.tsx';
import { QuestionCard } from './question-card.tsx';
import { ToolsView } from './tools-view.tsx';
import { type Live, useLive } from './use-live.ts';
import { useRoute } from './use-route.ts';

/** The page with its three views of a board. */
export function App({ api }: { readonly api: Api }): JSX.Element {
  const live = useLive(api);
  const { view, tool } = useRoute();
  const waiting = live.approvals.pending.length;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${live.board?.name ?? 'Pegboard'} · inspector`;
  }, [waiting, live.board?.name]);
  useEffect(() => {
    scrollTo(0, 0);
  }, [view, tool]);

  if (live.state === 'refused') {
    return (
      <main className="notice">
        <h1>This page needs its link</h1>
        <p>
          Open the link that <code>pegboard inspect</code> printed. It contains a key that is new at every start, so an
          earlier link does not work.
        </p>
      </main>
    );
  }
  return (
    <>
      <header>
        <a className="brand" href="#/tools">
          <img src="/icon.svg" alt="" width="22" height="22" />
          <span>{live.board?.name ?? 'Pegboard'}</span>
        </a>
        <nav aria-label="Views">
          <Tab href="#/tools" label="Tools" isHere={view === 'tools'} />
          <Tab href="#/calls" label="Calls" isHere={view === 'calls'} />
          <Tab href="#/approvals" label="Approvals" isHere={view === 'approvals'} count={waiting} />
        </nav>
        <Connection state={live.state} />
      </header>
      {live.state === 'lost' && (
        <p className="lost" role="alert">
          The board does not answer; this page shows its last state. If you stopped it, start it again and open the new
          link.
        </p>
      )}
      {live.state === 'replaced' && (
        <p className="lost" role="alert">
          The board was restarted; this page shows the previous one. Open the new link.
        </p>
      )}
      {live.board?.reloadFault !== undefined && (
        <section className="lost" role="alert">
          <p>The config was changed and cannot be loaded. The board is unchanged.</p>
          <Text text={live.board.reloadFault} label="Errors in the config" />
        </section>
      )}
      {live.board?.changedServers.map(({ name, changes }) => (
        <p key={name} className="lost" role="alert">
          The MCP server {name} describes its tools differently than before: {changes}. Check it, then pin it with{' '}
          <code>pegboard lock</code>, or run <code>pegboard doctor --acknowledge</code>.
        </p>
      ))}
      {live.questions.map((question) => (
        <QuestionCard key={question.id} api={api} question={question} />
      ))}
      {view === 'tools' && <ToolsView api={api} live={live} tool={tool} />}
      {view === 'calls' && <CallsView calls={live.calls} />}
      {view === 'approvals' && <ApprovalsView api={api} live={live} />}
    </>
  );
}

interface TabProps {
  readonly href: string;
  readonly label: string;
  readonly isHere: boolean;
  readonly count?: number;
}

function Tab({ href, label, isHere, count = 0 }: TabProps): JSX.Element {
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      {label}
      {count > 0 && (
        <span className="badge" role="status" aria-label={`${count} waiting`}>
          {count}
        </span>
      )}
    </a>
  );
}

const CONNECTION = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Reconnecting…',
  refused: '',
  replaced: 'Gone',
} as const;

function Connection({ state }: Pick<Live, 'state'>): JSX.Element {
  return (
    <span className={`connection ${state}`} role="status" title="The connection to the board">
      {CONNECTION[state]}
    </span>
  );
}
