/** A tool's name, 1 to 128 of `A-Z a-z 0-9 _ . -`: the operation's id, or its method and path. */
export function operationName(operationId: unknown, method: string, path: string): string {
  if (typeof operationId === 'string') {
    const name = clean(operationId);
    if (name !== '') return name;
  }
  const words = path.replaceAll(/\{([^{}]*)\}/g, 'by_$1');
  return clean(`${method}${words}`);
}

function clean(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .slice(0, 128)
    .replaceAll(/^_+|_+$/g, '');
}
