import type { Writable } from 'node:stream';

/** A stream that one writer has claimed. */
export interface ClaimedOutput {
  /** Writes to the stream. Other writers are redirected. */
  write(text: string): boolean;
  release(): void;
}

/** Claims a stream for the protocol: output of tools and libraries goes to `others` instead, so that it is not read as a message. */
export function claimOutput(output: Writable, others: Writable): ClaimedOutput {
  const before = Object.getOwnPropertyDescriptor(output, 'write');
  const write = output.write.bind(output);
  // Bound to the other stream, so that all overloads of `write` work.
  output.write = others.write.bind(others);
  return {
    write: (text) => write(text),
    release() {
      if (before === undefined) Reflect.deleteProperty(output, 'write');
      else Object.defineProperty(output, 'write', before);
    },
  };
}
