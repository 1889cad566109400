// Clients hand results to their users in shapes of their own: these look for what must be in them.

/** All strings in a value for which `isSo` is true, each once. */
export function findAll(value: unknown, isSo: (text: string) => boolean): string[] {
  const found = new Set<string>();
  walk(value, (each) => {
    if (typeof each === 'string' && isSo(each)) found.add(each);
  });
  return [...found];
}

/** The first object in a value for which `isSo` is true. Texts are not parsed. */
export function findObject(
  value: unknown,
  isSo: (object: Readonly<Record<string, unknown>>) => boolean,
): object | undefined {
  let found: object | undefined;
  walk(value, (each) => {
    // Any object can be looked into by name.
    if (typeof each === 'object' && each !== null && isSo(each as Record<string, unknown>)) found ??= each;
  });
  return found;
}

/** All strings in a value, one below the other. */
export function textOf(value: unknown): string {
  return findAll(value, () => true).join('\n');
}

/** Returns the message of an error. */
export function saysWhatFailed(error: unknown): string {
  return error instanceof Error ? error.message : textOf(error);
}

function walk(value: unknown, visit: (each: unknown) => void): void {
  visit(value);
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) walk(each, visit);
}
