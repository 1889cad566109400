/** A file's bytes as text, or why they are none. */
export type Decoded = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

const SNIFFED = 8192;

/** Reads bytes as UTF-8, or as UTF-16 where a byte order mark says so. */
export function decodeText(bytes: Uint8Array): Decoded {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!isUtf16 && bytes.subarray(0, SNIFFED).includes(0)) return { ok: false, reason: 'is a binary file' };
  const encoding = isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  try {
    return { ok: true, text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    const line = isUtf16 ? undefined : firstBadLine(bytes);
    const where = line === undefined ? '' : ` (line ${line})`;
    return { ok: false, reason: `is not ${encoding.toUpperCase()} text${where}; convert it to UTF-8` };
  }
}

/** The first line that is not UTF-8, found by reading line after line. */
function firstBadLine(bytes: Uint8Array): number | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end + 1;
  }
  return undefined;
}
