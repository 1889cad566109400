import type { JSX } from 'react';
import type { BoardOverview } from '../api-types.ts';

interface BoardSummaryProps {
  readonly board: BoardOverview | undefined;
  readonly onSource: (name: string) => void;
}

/** An overview of the board: its tools, sources and cost in a prompt. */
export function BoardSummary({ board, onSource }: BoardSummaryProps): JSX.Element {
  if (board === undefined) return <p className="muted">Reading the board…</p>;
  const { name, toolCount, sources, tokens } = board;
  return (
    <>
      <h1>{name}</h1>
      <dl className="figures">
        <Figure label={toolCount === 1 ? 'tool' : 'tools'} value={toolCount} />
        <Figure label={sources.length === 1 ? 'source' : 'sources'} value={sources.length} />
        <Figure label="tokens to list every tool" value={tokens.all} />
        <Figure label="tokens to search instead" value={tokens.discovery} />
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col" className="number">
              Tools
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <tr key={source.name}>
              <td>
                <button type="button" className="link" onClick={() => onSource(source.name)}>
                  {source.name}
                </button>
                {source.description !== '' && <div className="muted">{source.description}</div>}
              </td>
              <td className="number">{source.toolCount}</td>
              <td className="number">{source.tokens.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted small">Tokens are estimated, in MCP’s format. Choose a tool to call it.</p>
    </>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: number }): JSX.Element {
  return (
    <div>
      <dd>{value.toLocaleString('en')}</dd>
      <dt>{label}</dt>
    </div>
  );
}
