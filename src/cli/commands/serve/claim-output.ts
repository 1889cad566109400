import type { Writable } from 'node:stream';

/** A stream that belongs to one writer for a while. */
export interface ClaimedOutput {
  /** Writes to it. The texts of other writers do not get there. */
  write(text: string): boolean;
  /** Ends the claim. */
  release(): void;
}

/** Takes a stream for the protocol: what tools and libraries print meanwhile goes to `others`, and is no message. */
export function claimOutput(output: Writable, others: Writable): ClaimedOutput {
  const before = Object.getOwnPropertyDescriptor(output, 'write');
  const write = output.write.bind(output);
  // Bound to the other stream, with every shape of arguments that `write` has.
  output.write = others.write.bind(others);
  return {
    write: (text) => write(text),
    release() {
      if (before === undefined) Reflect.deleteProperty(output, 'write');
      else Object.defineProperty(output, 'write', before);
    },
  };
}
