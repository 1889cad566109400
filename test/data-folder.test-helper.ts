import { dataFolder } from '../src/load/data-folder.ts';

/** Where the board in a folder keeps things that names no place for them. */
export function dataOf(folder: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  return dataFolder([], { data: undefined, env: { ...env, PEGBOARD_DATA: undefined }, cwd: folder });
}
