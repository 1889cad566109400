import type { JSX } from 'react';
import type { AnswerPart, CallAnswer } from '../api-types.ts';
import { formatDuration, Notes, Text } from './parts.tsx';

/** The result of a call. */
export function CallResult({ answer }: { readonly answer: CallAnswer }): JSX.Element {
  const { ok, text, error, parts, notices, data, durationMs } = answer;
  // Models read compact JSON; people prefer line breaks.
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
      <Text text={shown === '' && parts.length === 0 ? '(no output)' : shown} label="Result" />
      {parts.map((part, index) => (
        // A result does not change, and two of its parts may be equal.
        // oxlint-disable-next-line react/no-array-index-key
        <Part key={index} part={part} />
      ))}
      <Notes notes={notices} />
    </section>
  );
}

/** An image, sound, file or link. Addresses are shown, not opened: only the board knows where they lead. */
function Part({ part }: { readonly part: AnswerPart }): JSX.Element {
  switch (part.type) {
    case 'image':
      return <img src={toDataUrl(part)} alt="Result of the tool" />;
    case 'audio':
      return <audio controls src={toDataUrl(part)} aria-label="Sound from the tool" />;
    case 'file':
      return (
        <p>
          <a href={toDataUrl(part)} download={fileName(part.uri)}>
            Save {part.uri ?? 'the file'}
          </a>{' '}
          <span className="muted">
            {part.mimeType || 'unknown type'}, {byteCount(part.data).toLocaleString('en')} bytes
          </span>
        </p>
      );
    case 'text':
      return (
        <figure>
          <figcaption className="muted">
            {part.uri} {part.mimeType}
          </figcaption>
          <Text text={part.text} label={part.uri} />
        </figure>
      );
    case 'link':
      return (
        <p>
          {part.name} <code>{part.uri}</code>{' '}
          <span className="muted">{[part.mimeType, part.description].filter((word) => word !== '').join(' · ')}</span>
        </p>
      );
  }
}

function toDataUrl({ mimeType, data, type }: Extract<AnswerPart, { readonly data: string }>): string {
  // Saved, never displayed: the browser must not open a file as a page.
  return `data:${type === 'file' ? 'application/octet-stream' : mimeType};base64,${data}`;
}

function byteCount(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function fileName(uri = ''): string {
  const [last = ''] = uri.split(/[\\/]/).slice(-1);
  return last.replaceAll(/[^\w.-]+/g, '_') || 'file';
}
