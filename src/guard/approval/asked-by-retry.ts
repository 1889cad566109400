/** Thrown by a function that asks when its request ends with the question, and comes again with the answer. */
export class AskedByRetry extends Error {
  constructor(cause: unknown) {
    super('The client is asked first; the call runs when it sends the answer.', { cause });
    this.name = 'AskedByRetry';
  }
}
