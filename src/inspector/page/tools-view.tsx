import { type JSX, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Counts, ToolPage } from '../api-types.ts';
import type { Api } from './api.ts';
import { BoardSummary } from './board-summary.tsx';
import { Empty, RiskMark } from './parts.tsx';
import { ToolPanel } from './tool-panel.tsx';
import type { Live } from './use-live.ts';
import { toolLink } from './use-route.ts';

interface ToolsViewProps {
  readonly api: Api;
  readonly live: Live;
  readonly tool: string | undefined;
}

const PAGE = 200;

/** The tools of the board: a search on the left, the chosen tool on the right. */
export function ToolsView({ api, live, tool }: ToolsViewProps): JSX.Element {
  const [query, setQuery] = useState('');
  const [source, setSource] = useState('');
  const [risk, setRisk] = useState('');
  const [offset, setOffset] = useState(0);
  const [page, setPage] = useState<ToolPage>();
  const [fault, setFault] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  /** The revision of the board in the list. */
  const shown = useRef(0);
  const { revision, board } = live;

  useEffect(() => {
    if (revision === 0) return undefined;
    const stop = new AbortController();
    // After a change of the board, everything shown so far is read again.
    const isNext = offset > 0 && shown.current === revision;
    const range = isNext ? { offset: String(offset), limit: String(PAGE) } : { limit: String(offset + PAGE) };
    const wanted = new URLSearchParams({ query, source, risk, ...range });
    // Delayed while the user types, so that not every letter starts a search.
    const timer = setTimeout(read, query === '' ? 0 : 80);
    function read(): void {
      api.get<ToolPage>(`/api/tools?${wanted}`, stop.signal).then(
        (found) => {
          shown.current = revision;
          setPage((before) => (isNext ? { ...found, tools: [...(before?.tools ?? []), ...found.tools] } : found));
          setFault('');
        },
        (error: unknown) => {
          if (!stop.signal.aborted) setFault(String(error));
        },
      );
    }
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, query, source, risk, offset, revision]);

  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  const chooseSource = (name: string): void => {
    setSource(name);
    setOffset(0);
  };
  const chooseRisk = (name: string): void => {
    setRisk(name);
    setOffset(0);
  };

  /** Moves with the arrow keys from the search box into the list, along it, and back. */
  const move = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    const here = links.findIndex((link) => link === document.activeElement);
    const next = event.key === 'ArrowDown' ? links[here + 1] : (links[here - 1] ?? search.current);
    if (event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    next?.focus();
  };

  return (
    <main className={tool === undefined ? 'split' : 'split chosen'}>
      <section className="side" aria-label="Find tools" onKeyDown={move}>
        <input
          ref={search}
          type="search"
          placeholder="What should the tool do?  ( / )"
          aria-label="What should the tool do?"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setOffset(0);
          }}
        />
        <div className="row filters">
          <Filter label="All sources" counts={board?.groups.source} value={source} onChange={chooseSource} />
          <Filter label="Any risk" counts={board?.groups.risk} value={risk} onChange={chooseRisk} />
        </div>
        {fault !== '' && <p role="alert">{fault}</p>}
        {board?.toolCount === 0 && (
          <Empty title="No tools yet">
            Create a first one with <code>pegboard init</code>, then start again.
          </Empty>
        )}
        {page !== undefined && page.tools.length === 0 && board?.toolCount !== 0 && (
          <Empty title="No tool matches">{page.note ?? 'Use other words, or remove a filter.'}</Empty>
        )}
        <ul ref={list} className="plain tools">
          {page?.tools.map((one) => (
            <li key={one.name}>
              <a href={toolLink(one.name)} aria-current={one.name === tool ? 'true' : undefined}>
                <span className="row">
                  <span className="name">{one.name}</span>
                  <RiskMark risk={one.risk} isStated={one.riskStated} />
                </span>
                <span className="muted cut">
                  {one.isDeprecated ? `Deprecated. ${one.description}` : one.description}
                </span>
              </a>
            </li>
          ))}
        </ul>
        {page?.hasMore === true && (
          <button type="button" className="quiet" onClick={() => setOffset(page.tools.length)}>
            {query === '' ? `Show more: ${page.tools.length} of ${page.total} tools` : 'Show more'}
          </button>
        )}
      </section>
      <section className="detail" aria-label={tool ?? 'The board'}>
        {tool === undefined ? (
          <BoardSummary board={board} onSource={chooseSource} />
        ) : (
          <ToolPanel key={tool} api={api} live={live} name={tool} />
        )}
      </section>
    </main>
  );
}

interface FilterProps {
  readonly label: string;
  readonly counts: Counts | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Filter({ label, counts = [], value, onChange }: FilterProps): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{label}</option>
      {counts.map(([name, count]) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  );
}
