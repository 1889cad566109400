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
