import { chmodSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../tool/texts/message-of.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { createPrivateFile, makeFolder, writePrivateFile } from './private-file.ts';

/** A planned change of a file. */
export interface FileChange {
  readonly path: string;
  /** Its name in messages. Default: the path. */
  readonly shown?: string;
  /** Its content; `undefined` for a new file. */
  readonly before: string | undefined;
  /** Its new content; `undefined` to delete it. */
  readonly after: string | undefined;
  /** The permissions of a new file. Default: readable only by this user. An existing file keeps its own. */
  readonly mode?: number;
}

/** Changes a file atomically. Links stay. Throws when the file was changed meanwhile. */
export function changeFile({ path, shown = path, before, after, mode: wanted }: FileChange): void {
  if (before === undefined) {
    if (after === undefined) return;
    makeFolder(dirname(path), wanted === undefined ? 0o700 : undefined);
    if (wanted !== undefined) writeFileSync(path, after, { flag: 'wx', mode: wanted });
    else if (!createPrivateFile(path, after)) throw changedMeanwhile(shown);
    return;
  }
  const real = realpathSync(path);
  if (readFileSync(real, 'utf8') !== before) throw changedMeanwhile(shown);
  if (after === undefined) {
    rmSync(real);
    return;
  }
  const { mode } = statSync(real);
  writePrivateFile(real, after);
  chmodSync(real, mode & 0o777);
}

/** Changes several files, or none: when one cannot be changed, those before it are restored. */
export function changeFiles(changes: readonly FileChange[]): void {
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      changeFile(change);
      done.push(change);
    } catch (error) {
      const left = done.toReversed().flatMap((one) => (isUndone(one) ? [] : (one.shown ?? one.path)));
      const restored = left.length === 0 ? 'Nothing was changed.' : `These could not be restored: ${left.join(', ')}.`;
      // Messages of this file name it already.
      const reason =
        error instanceof ToolError ? error.message : `${change.shown ?? change.path}: ${messageOf(error)}.`;
      throw new ToolError({ code: 'execution_failed', message: `${reason} ${restored}`, cause: error });
    }
  }
}

function isUndone({ path, before, after, ...rest }: FileChange): boolean {
  try {
    changeFile({ ...rest, path, before: after, after: before });
    return true;
  } catch {
    return false;
  }
}

function changedMeanwhile(shown: string): ToolError {
  return new ToolError({
    code: 'execution_failed',
    message: `${shown} was changed meanwhile, so it was not overwritten. Try again.`,
  });
}
