/** Thrown by a function that asks when its request ends with the question, and comes again with the answer. */
export class AskedByRetry extends Error {
  constructor(cause?: unknown) {
    super('The client is asked first; the call runs when it sends the answers.', { cause });
    this.name = 'AskedByRetry';
  }
}

/** Returns true when an error comes from a question that ended the request. */
export function isFromRetry(error: unknown): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 20; one = one.cause, depth++)
    if (one instanceof AskedByRetry) return true;
  return false;
}
