import { closeSync, openSync, readSync } from 'node:fs';

const MAX_LINE = 256;

/** Whether a file is a script: it names the program that runs it in its first line. */
export function isScriptFile(file: string): boolean {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const start = Buffer.alloc(MAX_LINE);
    const length = readSync(handle, start, 0, MAX_LINE, 0);
    return /^#! ?\//.test(start.toString('latin1', 0, length));
  } catch {
    return false;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
