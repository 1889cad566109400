/** Returns the value of a header: the first of several, or an empty text. */
export function readHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
