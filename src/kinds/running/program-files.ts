import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** Programs that run the file that their command line names. */
const RUNS_FILE = /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|perl|ruby|node|deno|bun|tsx|ts-node|php|lua|Rscript|pwsh)$/;

/** The files with code that a command line names: its program where that is a path, and what an interpreter runs. */
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
