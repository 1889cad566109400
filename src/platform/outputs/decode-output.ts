import { isUtf8 } from 'node:buffer';

/** Bytes decoded as text, or as base64. */
export type DecodedOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary'; readonly base64: string };

/** Decodes bytes as text if they are valid UTF-8 without NUL, otherwise as base64. */
export function decodeOutput(bytes: Uint8Array): DecodedOutput {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) && !buffer.includes(0)
    ? { type: 'text', text: buffer.toString('utf8') }
    : { type: 'binary', base64: buffer.toString('base64') };
}
