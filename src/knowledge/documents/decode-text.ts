/** A file's bytes as text, or why they are none. */
export type Decoded =
  | {
      readonly ok: true;
      readonly text: string;
      /** As what it was read, where it is not Unicode. */ readonly encoding?: string | undefined;
    }
  | { readonly ok: false; readonly reason: string };

const SNIFFED = 8192;
const MAX_CONTROLS = 0.001;
const DECLARED =
  /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]{2,40})|^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})/i;

/**
 * Reads bytes as UTF-8, or as UTF-16 where a byte order mark or the zeros of its bytes say so.
 *
 * All else that looks like text is read as the page declares, or as Windows-1252, which includes Latin-1.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeUtf16(bytes, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decodeUtf16(bytes, 'utf-16be');
  const start = bytes.subarray(0, SNIFFED);
  if (start.includes(0)) {
    const order = guessByteOrder(start);
    const guessed = order === undefined ? BINARY : decodeUtf16(bytes, order);
    return guessed.ok ? guessed : BINARY;
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return decodeOther(bytes);
  }
}

const BINARY: Decoded = { ok: false, reason: 'is a binary file' };

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): Decoded {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return hasControls(text.slice(0, SNIFFED)) ? BINARY : { ok: true, text };
  } catch {
    return { ok: false, reason: `is not ${encoding.toUpperCase()} text; convert it to UTF-8` };
  }
}

/** In UTF-16, one byte of every blank, digit and letter of English is zero, and always the same one of the two. */
function guessByteOrder(start: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0];
  for (let at = 0; at < start.length; at++) if (start[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Texts of other scripts have zeros in their blanks and ends of lines alone.
  const least = start.length / 2 / 50;
  const order = odd > least && even === 0 ? 'utf-16le' : even > least && odd === 0 ? 'utf-16be' : undefined;
  if (order === undefined) return undefined;
  const text = new TextDecoder(order).decode(start.subarray(0, start.length - (start.length % 2)));
  // What is no text has characters that do not exist or that belong to nobody.
  return /[\p{Cn}\p{Co}]/u.test(text.slice(0, -1)) ? undefined : order;
}

function decodeOther(bytes: Uint8Array): Decoded {
  const utf8 = new TextDecoder('utf-8').decode(bytes);
  const bad = count(utf8, (code) => code === 0xfffd);
  // A few bytes that are broken do not make it another encoding.
  if (count(utf8, (code) => code > 0x7f && code !== 0xfffd) > bad)
    return hasControls(utf8) ? BINARY : { ok: true, text: utf8, encoding: 'UTF-8 with broken bytes' };
  const [, page, xml] = DECLARED.exec(new TextDecoder('windows-1252').decode(bytes.subarray(0, 1024))) ?? [];
  const decoder = decoderFor(page ?? xml ?? 'windows-1252');
  const text = decoder.decode(bytes);
  if (hasControls(text)) return BINARY;
  return { ok: true, text, encoding: decoder.encoding === 'windows-1252' ? 'Windows-1252' : decoder.encoding };
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    const decoder = new TextDecoder(label);
    // It is none: that was tried.
    if (!decoder.encoding.startsWith('utf-')) return decoder;
  } catch {
    // No encoding of this name is known.
  }
  return new TextDecoder('windows-1252');
}

function hasControls(text: string): boolean {
  return count(text, isControl) > text.length * MAX_CONTROLS;
}

/** True for a character that no text has; a few may have got in by mistake. */
function isControl(code: number): boolean {
  if (code < 0x20) return code < 0x09 || (code > 0x0d && code !== 0x1b);
  return (code >= 0x7f && code <= 0x9d && UNUSED.has(code)) || code >= 0xfffe;
}

/** Places of Windows-1252 and ASCII that no letter has. */
const UNUSED: ReadonlySet<number> = new Set([0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** By hand: a pattern makes an object of each character that it finds, which are millions in a file that is made to harm. */
function count(text: string, isMeant: (code: number) => boolean): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (isMeant(text.charCodeAt(at))) found++;
  return found;
}
