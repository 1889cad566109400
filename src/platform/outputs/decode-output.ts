import { isUtf8 } from 'node:buffer';

/** What bytes are: text, or something that only base64 carries. */
export type DecodedOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary'; readonly base64: string };

/** Reads bytes as text when they are valid UTF-8 without NUL, and as base64 otherwise. */
export function decodeOutput(bytes: Uint8Array): DecodedOutput {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) && !buffer.includes(0)
    ? { type: 'text', text: buffer.toString('utf8') }
    : { type: 'binary', base64: buffer.toString('base64') };
}
