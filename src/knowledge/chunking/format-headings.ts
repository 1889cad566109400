const SEPARATOR = ' > ';

/** The headings above a chunk as its first line, and an empty line; at most a quarter of the chunk, the nearest kept. */
export function formatHeadings(headings: readonly string[], size: number): string {
  const room = Math.floor(size / 4);
  let line = headings.filter((heading) => heading !== '').join(SEPARATOR);
  if (line === '') return '';
  if (line.length + 2 > room) {
    let from = line.length - Math.max(0, room - 3);
    const code = line.charCodeAt(from);
    // Never the second half of a character alone.
    if (code >= 0xdc00 && code <= 0xdfff) from++;
    line = `…${line.slice(from)}`;
  }
  return `${line}\n\n`;
}

/** A chunk's text without the line of headings that `formatHeadings` put before it. */
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
