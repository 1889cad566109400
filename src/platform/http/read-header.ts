/** A header's value, the first where there are several, empty where there is none. */
export function readHeader(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
