import { isUtf8 } from 'node:buffer';
import type { HttpBody } from './http-messages.ts';

const JSON_TYPE = /^(?:application|text)\/(?:json|[\w.!#$&^-]+\+json)$/;
const TEXT_TYPE =
  /^text\/|[/+](?:xml|yaml|x-yaml|javascript|ecmascript|graphql|csv|x-ndjson|jsonl|json-seq|x-www-form-urlencoded|toml|sql|x-sh)$/;

/** Returns true for a text media type, given in lower case and without parameters. */
export function isTextType(mimeType: string): boolean {
  return JSON_TYPE.test(mimeType) || TEXT_TYPE.test(mimeType);
}

/** Decodes bytes by their `Content-Type`: JSON to a value, text by its charset, anything else to base64. */
export function decodeBody(bytes: Buffer, contentType: string, isCut: boolean): HttpBody {
  if (bytes.length === 0) return { type: 'empty' };
  const mimeType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isJson = JSON_TYPE.test(mimeType);
  const isText = isTextType(mimeType) || (mimeType === '' && looksLikeText(bytes, isCut));
  if (!isText)
    return { type: 'binary', base64: bytes.toString('base64'), mimeType: mimeType || 'application/octet-stream' };
  const text = decodeText(bytes, readCharset(contentType), isCut);
  return isJson && !isCut ? parseBody(text) : { type: 'text', text };
}

/** Parses a text as JSON; invalid JSON stays text. */
export function parseBody(text: string): HttpBody {
  try {
    const value: unknown = JSON.parse(text);
    return { type: 'json', value, text };
  } catch {
    return { type: 'text', text };
  }
}

/** Replaces undecodable bytes with U+FFFD and drops a character that the limit cut in two. */
function decodeText(bytes: Buffer, charset: string, isCut: boolean): string {
  try {
    return new TextDecoder(charset).decode(bytes, { stream: isCut });
  } catch {
    // The charset is unknown: most likely it is UTF-8.
    return new TextDecoder().decode(bytes, { stream: isCut });
  }
}

function readCharset(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

function looksLikeText(bytes: Buffer, isCut: boolean): boolean {
  if (bytes.subarray(0, 4096).includes(0)) return false;
  // The limit may have cut the last character in two.
  return isUtf8(bytes) || (isCut && [1, 2, 3].some((count) => isUtf8(bytes.subarray(0, -count))));
}
