import type { JSX } from 'react';
import type { CallAnswer } from '../api-types.ts';
import { formatDuration, Text } from './parts.tsx';

/** What a call gave back. */
export function CallResult({ answer }: { readonly answer: CallAnswer }): JSX.Element {
  const { ok, text, error, images, notices, data, durationMs } = answer;
  // A model reads compact JSON; people do not like to.
  const isJson = data !== undefined && typeof data === 'object' && text === JSON.stringify(data);
  const shown = isJson ? JSON.stringify(data, undefined, 2) : text;
  return (
    <section className={`result ${ok ? 'ok' : 'failed'}`} aria-label="Result">
      <div className="row">
        <h2>{ok ? 'Result' : 'Failed'}</h2>
        {error !== undefined && <code>{error.code}</code>}
        <span className="muted spread" role="status">
          {formatDuration(durationMs)}
        </span>
      </div>
      <Text text={shown === '' && images.length === 0 ? '(no output)' : shown} label="Result" />
      {images.map(({ mimeType, data: bytes }) => (
        <img key={bytes.slice(0, 64)} src={`data:${mimeType};base64,${bytes}`} alt="What the tool gave back" />
      ))}
      {notices.map((notice) => (
        <p key={notice} className="muted">
          {notice}
        </p>
      ))}
    </section>
  );
}
