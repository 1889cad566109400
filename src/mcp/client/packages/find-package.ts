import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PackagePin } from '../../../guard/lock/lock-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import {
  type InstalledPackage,
  integrityOf,
  isComplete,
  isSameIntegrity,
  readInstalled,
  readJson,
} from './installed-package.ts';
import { isForeign } from './is-foreign.ts';
import { accepts, type PackageSpec } from './package-command.ts';
import { compareVersions } from './version-range.ts';

/** A package to look for, and the places to look in. */
export interface PackageSearch {
  readonly spec: PackageSpec;
  /** The pin of the lock: no other version, and no other archive of it, is taken. */
  readonly pin: PackagePin | undefined;
  /** The version that an earlier start took, if the entry names none. */
  readonly recorded: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder with the packages that boards installed. */
  readonly folder: string;
}

/** A package whose archive is not the pinned one. */
export interface OtherArchive {
  readonly installed: InstalledPackage;
  readonly integrity: string;
  /** Its place in messages. */
  readonly place: string;
}

export type PackageFinding =
  | {
      readonly type: 'found';
      readonly installed: InstalledPackage;
      /** True for a package of the project, whose version the project decides. */
      readonly isLocal: boolean;
    }
  /** The pinned version, from an archive with another hash. */
  | ({ readonly type: 'other' } & OtherArchive)
  | { readonly type: 'missing' };

/**
 * Finds a package without a network: in `node_modules` from the working directory upwards, in the cache of npx, then among those that
 * boards installed.
 */
export function findPackage(search: PackageSearch): PackageFinding {
  const pinned = search.pin?.integrity;
  for (const { installed, isLocal } of candidates(search)) {
    if (pinned === undefined) return { type: 'found', installed, isLocal };
    const integrity = integrityOf(installed);
    // A link, or a package of another package manager, has no hash: another copy may have one.
    if (integrity === undefined) continue;
    if (isSameIntegrity(integrity, pinned)) return { type: 'found', installed, isLocal };
    return { type: 'other', installed, integrity, place: `in ${installed.root}` };
  }
  return { type: 'missing' };
}

/** Returns true when npx would run a program that is no package of this name: one in `node_modules/.bin`, or one of the project itself. */
export function isShadowed({ name, text }: PackageSpec, cwd: string): boolean {
  if (name !== text) return false;
  let isBelowProject = true;
  for (const folder of foldersUpwards(cwd)) {
    const isOwn = (part: string): boolean => !isForeign(join(folder, part), cwd);
    if (isOwn('node_modules') && existsSync(join(folder, 'node_modules/.bin', name))) return true;
    const manifest = isBelowProject ? readJson(join(folder, 'package.json')) : undefined;
    if (!isPlainObject(manifest) || !isOwn('package.json')) continue;
    isBelowProject = false;
    const { bin } = manifest;
    if (isPlainObject(bin) && Object.hasOwn(bin, name)) return true;
  }
  return false;
}

/** Returns the folder of an installed version, below the folder of all. */
export function installFolder(folder: string, name: string, version: string): string {
  return join(folder, `${flatName(name)}@${version}`);
}

/** Returns a folder and those above it. */
export function* foldersUpwards(start: string): Generator<string, void> {
  for (let folder = start; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

function* candidates(
  search: PackageSearch,
): Generator<{ readonly installed: InstalledPackage; readonly isLocal: boolean }, void> {
  for (const installed of findLocal(search)) yield { installed, isLocal: true };
  for (const installed of findKept(search)) yield { installed, isLocal: false };
}

/** Finds packages of the project. As with npx, none is known to be the version of a tag, before a start took one. */
function* findLocal({ spec, pin, recorded, cwd }: PackageSearch): Generator<InstalledPackage, void> {
  const isTag = spec.wanted.type === 'tag';
  const exact = pin?.version ?? (isTag ? recorded : undefined);
  if (isTag && exact === undefined) return;
  for (const folder of foldersUpwards(cwd)) {
    if (isForeign(join(folder, 'node_modules'), cwd)) continue;
    const installed = readInstalled(folder, spec.name);
    if (installed === undefined || !accepts(spec, installed.version)) continue;
    if (exact === undefined || exact === installed.version) yield installed;
  }
}

function* findKept({ spec, pin, recorded, env, folder }: PackageSearch): Generator<InstalledPackage, void> {
  const { name, wanted } = spec;
  const exact = pin?.version ?? (wanted.type === 'exact' ? wanted.version : recorded);
  const cache = npxCache(env);
  const own = join(cache, hashOf(spec.text));
  const others = listFolder(cache).filter((root) => root !== own);
  if (exact !== undefined) {
    for (const root of [own, ...others, installFolder(folder, name, exact)]) {
      const installed = readComplete(root, name);
      if (installed?.version === exact) yield installed;
    }
    if (pin !== undefined || wanted.type === 'exact') return;
  }
  // The version that npx took for the same words.
  const same = readComplete(own, name);
  if (same !== undefined && accepts(spec, same.version)) yield same;
  if (exact !== undefined || wanted.type === 'tag') return;
  const prefix = `${flatName(name)}@`;
  const installs = listFolder(folder).filter((root) => root.startsWith(join(folder, prefix)));
  const fitting = [...others, ...installs].flatMap((root) => readComplete(root, name) ?? []);
  yield* fitting
    .filter(({ version }) => accepts(spec, version))
    .toSorted((one, other) => compareVersions(other.version, one.version));
}

function readComplete(root: string, name: string): InstalledPackage | undefined {
  const installed = readInstalled(root, name);
  return installed !== undefined && isComplete(installed) ? installed : undefined;
}

/** The folder in which npx keeps packages: one for each list of packages that it was asked for, named by a hash. */
function npxCache(env: Readonly<Record<string, string>>): string {
  const [, set = ''] = Object.entries(env).find(([name]) => name.toLowerCase() === 'npm_config_cache') ?? [];
  if (set !== '') return join(set, '_npx');
  const local = process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  return join(local === undefined ? join(env['HOME'] || homedir(), '.npm') : join(local, 'npm-cache'), '_npx');
}

function hashOf(spec: string): string {
  return createHash('sha512').update(spec).digest('hex').slice(0, 16);
}

function flatName(name: string): string {
  return name.replace('/', '+');
}

/** The entries of a folder as paths; none if it cannot be read. */
function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
