import { basename, dirname } from 'node:path';
import { dump } from 'js-yaml';
import { changeFile, type FileChange } from '../platform/store/change-files.ts';
import { ToolError } from '../tool/tool-error.ts';
import { loadFile } from './load-file.ts';
import { editSection, type SectionChange } from './yaml/edit-section.ts';

export interface ChangedFile {
  /** Its name in messages. */
  readonly shown: string;
  readonly path: string;
  /** Its content; `undefined` for a new file. */
  readonly text: string | undefined;
  /** The initial content of a new file. Default: its name. */
  readonly fresh?: string | undefined;
}

/** A change of a config file, ready to be written. */
export interface PlannedChange {
  readonly file: ChangedFile;
  readonly text: string;
  readonly change: FileChange;
  /** Writes the file atomically. Throws when it was changed meanwhile. */
  write(): void;
  /** Restores the previous content. Throws when the file was changed meanwhile. */
  undo(): void;
}

interface ChangeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Plans changes of a config file. Throws `invalid_config` when the result would be invalid. */
export function planChange(
  file: ChangedFile,
  changes: readonly SectionChange[],
  { env, cwd }: ChangeOptions,
): PlannedChange {
  const start = file.text ?? file.fresh ?? dump({ name: basename(dirname(file.path)) || 'board' });
  const text = changes.reduce((before, change) => editSection(before, file.shown, change), start);
  const faults = (content: string): string[] =>
    loadFile(Buffer.from(content), file.shown, { env, cwd, folder: dirname(file.path), mode: 'look' })
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  const known = new Set(file.text === undefined ? [] : faults(file.text));
  const fault = faults(text).find((message) => !known.has(message));
  if (fault !== undefined) {
    throw new ToolError({
      code: 'invalid_config',
      message: `${file.shown} would become invalid, so it was not changed: ${fault}`,
    });
  }
  const change = { path: file.path, shown: file.shown, before: file.text, after: text, mode: 0o666 };
  return {
    file,
    text,
    change,
    write: () => changeFile(change),
    undo: () => changeFile({ ...change, before: text, after: file.text }),
  };
}
