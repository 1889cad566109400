import { fstatSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import type { CliContext } from '../cli-context.ts';

/** What a shell has put before a command: a pipe or a file. */
export interface PipedInput {
  /** All of it. */
  read(): Promise<string>;
  /** Looks whether there is any, without waiting for it. Gives a function that tells, and ends the looking. */
  watch(): () => boolean;
}

/** The pipe or the file that a shell gave a command; `undefined` for a terminal, /dev/null and the channel of a program that started it. */
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
        // Nothing else reads it, and a pipe that stays open would keep the process.
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
    // Closed by the program that started this one.
    return false;
  }
}
