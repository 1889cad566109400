/** A path as a reader writes it: `properties.limit`, `anyOf[0]`, `properties["odd key"]`. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === 'number') return `${shown}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${shown}[${JSON.stringify(part)}]`;
    return shown === '' ? part : `${shown}.${part}`;
  }, '');
}
