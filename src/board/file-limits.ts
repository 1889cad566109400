import type { LoadedFile } from '../load/loaded-file.ts';

/** What the files say about the characters of a result that a model gets; the last one wins. */
export function maxModelOutputOf(files: readonly LoadedFile[]): number | undefined {
  return files.findLast(({ maxModelOutput }) => maxModelOutput !== undefined)?.maxModelOutput;
}

/** The values that the arguments of a call may hold, as the files say; the last one wins. */
export function maxValuesOf(files: readonly LoadedFile[]): number | undefined {
  return files.findLast(({ maxValues }) => maxValues !== undefined)?.maxValues;
}
