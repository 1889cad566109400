const LONGEST = 200;
const MASK = /\[redacted\]/gi;

/**
 * Makes a query fit to be kept: one line, no secrets, not long. `undefined` when nothing is left that says something.
 *
 * `redact` takes out what must not be kept.
 */
export function cleanQuery(query: string, redact: (text: string) => string): string | undefined {
  // Cut after secrets are taken out: half of one would not be known.
  const clean = redact(query.slice(0, 20 * LONGEST))
    .replaceAll(MASK, ' ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  const short = clean.length <= LONGEST ? clean : clean.slice(0, LONGEST).replace(/\s\S*$/, '');
  const words = short.match(/\p{L}{2,}/gu) ?? [];
  return words.length === 0 ? undefined : short;
}
