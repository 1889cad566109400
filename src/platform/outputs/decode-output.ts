import { isUtf8 } from 'node:buffer';

/** Bytes decoded as text, or as base64. */
type DecodedOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary'; readonly base64: string };

/** Decodes bytes as text if they are valid UTF-8 without NUL, otherwise as base64. */
export function decodeOutput(bytes: Uint8Array): DecodedOutput {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) && !buffer.includes(0)
    ? { type: 'text', text: buffer.toString('utf8') }
    : { type: 'binary', base64: buffer.toString('base64') };
}

// Matches a string sequence (OSC, DCS, SOS, PM, APC) up to its end, a CSI sequence, any other escape, then stray controls.
// No class contains a character that ends it or starts another sequence, so matching takes linear time.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  /(?:\x1B[\]PX^_]|[\x9D\x90\x98\x9E\x9F])[^\x07\x1B\x90\x98\x9C-\x9F]*(?:\x07|\x1B\\|\x9C)|(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]|\x1B[ -/]*[0-~]?|[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

/** Removes terminal sequences (colours, titles, links, cursor moves) and controls; keeps newlines, returns and tabs. */
export function stripEscapes(text: string): string {
  return text.replaceAll(SEQUENCES, '');
}
