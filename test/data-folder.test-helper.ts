import { dataFolder } from '../src/load/data-folder.ts';

/** Returns the data folder of a board whose file names none. */
export function dataOf(folder: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  return dataFolder([], { data: undefined, env: { ...env, PEGBOARD_DATA: undefined }, cwd: folder });
}
