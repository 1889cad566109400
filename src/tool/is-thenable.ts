/** Tells a promise, or anything that can be awaited like one, from a plain value. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function')
  );
}
