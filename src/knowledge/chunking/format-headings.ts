const SEPARATOR = ' > ';

/**
 * Formats the headings above a chunk as its first line, followed by an empty line. They take at most a quarter of the
 * chunk; the nearest are kept.
 */
export function formatHeadings(headings: readonly string[], size: number): string {
  const room = Math.floor(size / 4);
  let line = headings.filter((heading) => heading !== '').join(SEPARATOR);
  if (line === '') return '';
  if (line.length + 2 > room) {
    let from = line.length - Math.max(0, room - 3);
    const code = line.charCodeAt(from);
    // Never starts with the second half of a surrogate pair.
    if (code >= 0xdc00 && code <= 0xdfff) from++;
    line = `…${line.slice(from)}`;
  }
  return `${line}\n\n`;
}

/** Removes the line of headings that `formatHeadings` put before a chunk's text. */
export function withoutHeadings(text: string, headings: readonly string[]): string {
  const end = text.indexOf('\n\n');
  const line = end === -1 ? '' : text.slice(0, end);
  if (line === '') return text;
  const names = headings.filter((heading) => heading !== '');
  for (let count = names.length; count > 0; count--) {
    const whole = names.slice(0, count).join(SEPARATOR);
    const isLine = line === whole || (line.startsWith('…') && whole.endsWith(line.slice(1)));
    if (isLine) return text.slice(end + 2);
  }
  return text;
}
