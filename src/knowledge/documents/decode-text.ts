/** A file's bytes as text, or the reason that they are not text. */
export type Decoded =
  | {
      readonly ok: true;
      readonly text: string;
      /** The encoding, if it is not Unicode. */ readonly encoding?: string | undefined;
    }
  | { readonly ok: false; readonly reason: string };

const SNIFFED = 8192;
const MAX_CONTROLS = 0.001;
const DECLARED =
  /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]{2,40})|^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})/i;

/**
 * Decodes bytes as UTF-8, or as UTF-16 if a byte order mark or zero bytes indicate it.
 *
 * Other text is decoded as the page declares, or as Windows-1252, which includes Latin-1.
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

/**
 * Guesses the byte order: in UTF-16, one byte of each English letter, digit and space is zero, always the same one of
 * the two.
 */
function guessByteOrder(start: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0];
  for (let at = 0; at < start.length; at++) if (start[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Texts of other scripts have zeros only in spaces and line ends.
  const least = start.length / 2 / 50;
  const order = odd > least && even === 0 ? 'utf-16le' : even > least && odd === 0 ? 'utf-16be' : undefined;
  if (order === undefined) return undefined;
  const text = new TextDecoder(order).decode(start.subarray(0, start.length - (start.length % 2)));
  // Bytes that are not text give unassigned or private characters.
  return /[\p{Cn}\p{Co}]/u.test(text.slice(0, -1)) ? undefined : order;
}

function decodeOther(bytes: Uint8Array): Decoded {
  const utf8 = new TextDecoder('utf-8').decode(bytes);
  const bad = count(utf8, (code) => code === 0xfffd);
  // A few broken bytes do not mean another encoding.
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
    // UTF was tried before.
    if (!decoder.encoding.startsWith('utf-')) return decoder;
  } catch {
    // The encoding's name is unknown.
  }
  return new TextDecoder('windows-1252');
}

function hasControls(text: string): boolean {
  return count(text, isControl) > text.length * MAX_CONTROLS;
}

/** Returns true for a character that text rarely has; a few may occur by mistake. */
function isControl(code: number): boolean {
  if (code < 0x20) return code < 0x09 || (code > 0x0d && code !== 0x1b);
  return (code >= 0x7f && code <= 0x9d && UNUSED.has(code)) || code >= 0xfffe;
}

/** Codes of Windows-1252 and ASCII without a letter. */
const UNUSED: ReadonlySet<number> = new Set([0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Counts without a regular expression, which would create millions of objects for a hostile file. */
function count(text: string, isSelected: (code: number) => boolean): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (isSelected(text.charCodeAt(at))) found++;
  return found;
}

/** Returns true for files of Office before 2007, a format still used around documents with a password. */
export function isOleFile([a, b, c, d]: Uint8Array): boolean {
  return a === 0xd0 && b === 0xcf && c === 0x11 && d === 0xe0;
}
