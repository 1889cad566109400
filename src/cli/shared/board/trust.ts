import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasWaitingChange } from '../../../board/changes/board-changes.ts';
import type { BoardMode } from '../../../load/board-mode.ts';
import { CODE_FILE, findFiles } from '../../../load/load-config.ts';
import { writePrivateFile } from '../../../platform/store/private-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../cli-context.ts';

/** The parts of the context that decide which folders are trusted. */
type Truster = Pick<CliContext, 'cwd' | 'env' | 'trustsFound'>;

/**
 * Returns the mode in which a read-only command opens these files: `run` if the person trusted all of their folders and no change of the
 * files waits, otherwise `look`.
 * The list of trusted folders is stored with the user, never in a folder: a clone could bring its own.
 */
export function lookMode(files: readonly string[], truster: Truster): BoardMode {
  if (truster.trustsFound === true) return 'run';
  // Trust in a folder does not cover code of a change that nobody has accepted yet.
  if (hasWaitingChange({ given: files, cwd: truster.cwd, env: truster.env })) return 'look';
  const trusted = readTrusted(truster.env);
  return foldersOf(files, truster.cwd).every((folder) => trusted.has(folder)) ? 'run' : 'look';
}

/** Trusts or untrusts the folders of these files. Returns those that changed. */
export function setTrust(files: readonly string[], isTrusted: boolean, { cwd, env }: Truster): string[] {
  const place = trustFile(env);
  if (place === undefined) {
    const message = 'There is no place to store trusted folders: set HOME or XDG_STATE_HOME to a folder of yours.';
    throw new ToolError({ code: 'execution_failed', message });
  }
  const trusted = readTrusted(env);
  const changed = foldersOf(files, cwd).filter((folder) => trusted.has(folder) !== isTrusted);
  if (changed.length === 0) return [];
  for (const folder of changed) {
    if (isTrusted) trusted.add(folder);
    else trusted.delete(folder);
  }
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  writePrivateFile(place, `${JSON.stringify({ version: 1, folders: [...trusted].toSorted() }, undefined, 2)}\n`);
  return changed;
}

/** Reads the folders that the person trusts, with links resolved. */
export function readTrusted(env: CliContext['env']): Set<string> {
  const place = trustFile(env);
  if (place === undefined) return new Set();
  try {
    const kept: unknown = JSON.parse(readFileSync(place, 'utf8'));
    const folders: unknown[] = isPlainObject(kept) && Array.isArray(kept['folders']) ? kept['folders'] : [];
    return new Set(folders.filter((folder) => typeof folder === 'string'));
  } catch {
    // A damaged or missing file trusts nothing.
    return new Set();
  }
}

/** Returns the path of the list; `undefined` without a home folder. */
function trustFile(env: CliContext['env']): string | undefined {
  const home = env['HOME'] ?? env['USERPROFILE'];
  const state = env['XDG_STATE_HOME'] || (home ? join(home, '.local', 'state') : undefined);
  return state === undefined ? undefined : join(state, 'pegboard', 'trusted.json');
}

/** Returns the folders of the config files, with links resolved. Code files are left out: naming one runs it anyway. */
function foldersOf(files: readonly string[], cwd: string): string[] {
  const found = files.flatMap((file) => findFiles(file, cwd)).filter((file) => !CODE_FILE.test(file));
  return [...new Set(found.map((file) => dirname(realpathSync(file))))];
}
