import { fstatSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import type { CliContext } from '../../shared/cli-context.ts';

/** A pipe or file on standard input. */
export interface PipedInput {
  read(): Promise<string>;
  /** Starts listening for input without waiting for it. Returns a function that stops and returns true if there was any. */
  watch(): () => boolean;
}

/** Returns the pipe or file that the shell connected; `undefined` for a terminal, /dev/null or the channel of a parent program. */
export function pipedInput({ stdin }: Pick<CliContext, 'stdin'>): PipedInput | undefined {
  const fd: unknown = 'fd' in stdin ? stdin.fd : undefined;
  if (typeof fd !== 'number' || !isPipeOrFile(fd)) return undefined;
  return {
    read: () => readText(stdin),
    watch: () => {
      let isSeen = false;
      const see = (chunk: { readonly length: number }): void => {
        isSeen ||= chunk.length > 0;
      };
      stdin.on('data', see);
      return () => {
        stdin.off('data', see);
        // Nothing else reads it, and an open pipe would keep the process alive.
        stdin.destroy();
        return isSeen;
      };
    },
  };
}

function isPipeOrFile(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isFile();
  } catch {
    // Closed by the parent program.
    return false;
  }
}
