import type { PageReader } from '../page-reader.ts';
import { findManPage } from './find-man-page.ts';
import { parseMan } from './parse-man.ts';

/** Reads the manual page of a command, where one of these folders has it. Neither `man` nor a formatter is needed. */
export function createManReader(folders: readonly string[]): PageReader {
  return {
    source: 'man',
    wants: () => folders.length > 0,
    async read(command) {
      const source = await findManPage(command, folders);
      return source === undefined ? undefined : parseMan(source, command);
    },
  };
}
