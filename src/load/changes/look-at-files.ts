import { relative, resolve } from 'node:path';
import { findLock } from '../../guard/lock/lock-file.ts';
import { BUILT_IN_KINDS } from '../../kinds/built-in-kinds.ts';
import { isPlainObject } from '../../tool/json.ts';
import { homeFolder } from '../data-folder.ts';
import { ConfigError, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { loadConfig, type LoadedConfig } from '../load-config.ts';
import type { LoadedFile } from '../loaded-file.ts';
import { codeEntries, type GuardedParts, hashOf, isLocal, readGuardedParts, readWritten } from './guarded-parts.ts';
import { RecordedContents } from './recorded-contents.ts';

/** Board files that were read without running anything that they name. */
export interface LookedFiles {
  readonly contents: RecordedContents;
  readonly guarded: GuardedParts;
  readonly lock: { readonly file: string; readonly shown: string; readonly hash: string };
  /** The hash of all contents: the same in every process that reads the same. */
  readonly digest: string;
  /** The same without the lock. */
  readonly unlockedDigest: string;
  /** Files with code that runs when the board is read. */
  readonly code: readonly string[];
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

interface LookOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Contents to look at in place of those on disk. */
  readonly contents?: RecordedContents;
}

/**
 * Reads board files to compare them with others: starts no server, resolves no secret, and runs no plugin and no script. A later reading
 * of the same contents sees what was compared here. Throws a `ConfigError` when a file cannot be read.
 */
export async function lookAtFiles(
  given: readonly string[],
  { cwd, env, contents = new RecordedContents() }: LookOptions,
): Promise<LookedFiles> {
  const config = await loadConfig(given, { cwd, env, mode: 'look', contents });
  checkReadable(config, contents, cwd);
  const folder = homeFolder(config.files, cwd);
  const { file, source } = findLock({ folder, given, cwd, read: (path) => contents.readIfThere(path) });
  const hash = hashOf(contents.readIfThere(source));
  const guarded = readGuardedParts(config.files, { contents, cwd });
  const code = config.files.flatMap((one) => [
    ...one.plugins.flatMap((plugin) => (isLocal(plugin.name) ? [resolve(plugin.folder, plugin.name)] : [])),
    ...codeEntries(one).flatMap((entry) => entry.kind.ownFiles?.(entry, { cwd }) ?? []),
  ]);
  return {
    contents: contents.close(),
    guarded,
    lock: { file, shown: relative(cwd, source) || source, hash },
    digest: contents.digest(),
    unlockedDigest: contents.digest(new Set([file, source])),
    code,
    // A variable whose secret was not resolved stands as it is written.
    secrets: config.files.flatMap((one) => one.secrets()).filter((secret) => !secret.startsWith('${')),
  };
}

/** Throws for files that were not read, and for those whose code could not be found: they cannot be compared. */
function checkReadable({ files, diagnostics }: LoadedConfig, contents: RecordedContents, cwd: string): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const read = new Set(files.map(({ file }) => file));
  const unread = errors.filter(({ file }) => !read.has(file));
  if (unread.length > 0) throw new ConfigError(unread);
  const faults = files.flatMap((file) => findUnclear(file, contents, cwd));
  if (faults.length > 0) throw new ConfigError(faults);
  if (errors.length > 0 && files.some((file) => hasUnreadCode(file, contents, cwd))) throw new ConfigError(errors);
}

/** Finds names of files with code that are secrets: without resolving them, it is not known what would run. */
function findUnclear(file: LoadedFile, contents: RecordedContents, cwd: string): Diagnostic[] {
  const paths = [['import'], ['plugins'], ...codePaths(file, contents, cwd).map((path) => [...path, 'file'])];
  return paths
    .filter((path) => file.isUnresolved(path))
    .map((path) => ({
      severity: 'error',
      file: file.file,
      path,
      place: file.locate(path),
      message: 'is named by a secret. On a board whose changes wait for a person, write the name itself.',
    }));
}

/** Returns true when the file has an entry with code that could not be read for errors. */
function hasUnreadCode(file: LoadedFile, contents: RecordedContents, cwd: string): boolean {
  const known = new Set(codeEntries(file).map(({ path }) => path[1]));
  return codePaths(file, contents, cwd).some(([, index]) => !known.has(index));
}

/** The paths of entries whose kind runs code when the board is read, as they are written. */
function codePaths(file: LoadedFile, contents: RecordedContents, cwd: string): (string | number)[][] {
  const written = file.isInline || file.dialect !== 'pegboard' ? undefined : readWritten(file, contents, cwd)?.value;
  const tools: unknown[] = isPlainObject(written) && Array.isArray(written['tools']) ? written['tools'] : [];
  return tools.flatMap((tool, index) => (isPlainObject(tool) && runsCode(tool['type']) ? [['tools', index]] : []));
}

function runsCode(type: unknown): boolean {
  return BUILT_IN_KINDS.some((kind) => kind.type === type && kind.runsCode);
}
