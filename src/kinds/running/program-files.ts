import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** Programs that run the file named on their command line. */
const RUNS_FILE = /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|perl|ruby|node|deno|bun|tsx|ts-node|php|lua|Rscript|pwsh)$/;

/** Returns the files with code on a command line: its program if that is a path, and the file that an interpreter runs. */
export function programFiles([program = '', ...words]: readonly string[], folder: string): string[] {
  const own = program.includes('/') ? [resolve(folder, program)] : [];
  if (!RUNS_FILE.test(basename(program))) return own;
  const script = words.map((word) => resolve(folder, word)).find((path) => isFile(path));
  return script === undefined ? own : [...own, script];
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
