/** Levels of nesting that a message may have: far more than any real one, far fewer than what breaks a stack. */
const MAX_DEPTH = 256;
/** A shorter text cannot be nested deeper than that and closed again. */
const SHORT = MAX_DEPTH * 2;

/** Parses a message, or gives `undefined` for what is no JSON or nested without end. */
export function parseFrame(text: string): unknown {
  if (text.length > SHORT && isTooDeep(text)) return refuse(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error in the place of an answer that cannot be read, so that its request does not wait for ever. */
function refuse(text: string): unknown {
  const id = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(text.slice(0, 200))?.[1];
  if (id === undefined) return undefined;
  const message = `the answer is nested more than ${MAX_DEPTH} levels deep, and was not read`;
  return { jsonrpc: '2.0', id: Number(id), error: { code: -32603, message } };
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_DEPTH) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

/** The closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
