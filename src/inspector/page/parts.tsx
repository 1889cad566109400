import { type JSX, type ReactNode, useEffect, useState } from 'react';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import type { Risk } from '../api-types.ts';

/** The risk of a call in one word. */
export function RiskMark({ risk, isStated = true }: { readonly risk: Risk; readonly isStated?: boolean }): JSX.Element {
  return <span className={`risk ${risk}`}>{isStated ? risk : `${risk} (assumed)`}</span>;
}

/** An empty view with advice. */
export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

/** Notes, one paragraph each. */
export function Notes({ notes }: { readonly notes: readonly string[] }): JSX.Element[] {
  return notes.map((note) => (
    <p key={note} className="muted">
      {note}
    </p>
  ));
}

const MAX_LINES = 24;

interface TextProps {
  readonly text: string;
  readonly label: string;
  readonly isWhole?: boolean;
}

/** A text as it is. A long one is folded until the person opens it, but never where a decision depends on it. */
export function Text({ text, label, isWhole = false }: TextProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const shown = revealHidden(text);
  const lines = shown.split('\n');
  const isLong = !isWhole && lines.length > MAX_LINES + 4;
  return (
    <>
      {/* Scrollable content must be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {isLong && !isOpen ? lines.slice(0, MAX_LINES).join('\n') : shown}
      </pre>
      {isLong && (
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${lines.length} lines`}
        </button>
      )}
    </>
  );
}

/** The time since an event, updated continuously. */
export function Ago({ since }: { readonly since: number }): JSX.Element {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={new Date(since).toISOString()}>{formatAgo(Math.max(0, now - since))}</time>;
}

function formatAgo(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

/** Formats a duration as `12 ms` or `3.4 s`. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${Math.round(milliseconds / 100) / 10} s`;
}
