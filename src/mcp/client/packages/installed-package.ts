import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackagePin } from '../../../guard/lock/lock-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { isVersion } from './version-range.ts';

/** A package in a `node_modules` folder. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The folder whose `node_modules` has it. */
  readonly root: string;
  /** The folder of the package itself. */
  readonly folder: string;
  /** `bin` of its package.json, unchecked. */
  readonly bin: unknown;
}

/** Reads a package of `node_modules`; `undefined` if there is none of this name. */
export function readInstalled(root: string, name: string): InstalledPackage | undefined {
  const folder = join(root, 'node_modules', name);
  const manifest = readJson(join(folder, 'package.json'));
  if (!isPlainObject(manifest) || manifest['name'] !== name) return undefined;
  const { version, bin } = manifest;
  return typeof version === 'string' && isVersion(version) ? { name, version, root, folder, bin } : undefined;
}

/** Returns true when npm finished installing this version: it writes its list of `node_modules` last. */
export function isComplete(installed: InstalledPackage): boolean {
  return readEntry(installed) !== undefined;
}

/** Returns the hash of the archive that a package came from; `undefined` if npm did not install it from a registry. */
export function integrityOf(installed: InstalledPackage): string | undefined {
  const integrity = readEntry(installed)?.['integrity'];
  return typeof integrity === 'string' ? integrity : undefined;
}

/** Returns the pin of a package for a lock. */
export function toPackagePin(installed: InstalledPackage): PackagePin {
  const { name, version } = installed;
  const integrity = integrityOf(installed);
  return { name, version, ...(integrity === undefined ? {} : { integrity }) };
}

/**
 * Returns true when all hashes of an archive are pinned. One is not enough: npm takes an archive that has any of the hashes that its registry
 * gives, so a registry could give the pinned one beside that of another archive.
 */
export function isSameIntegrity(integrity: string, pinned: string): boolean {
  const hashes = new Set(pinned.split(/\s+/));
  return integrity.split(/\s+/).every((hash) => hashes.has(hash));
}

/** The entry of a package in npm's own list of `node_modules`. */
function readEntry({ root, name, version }: InstalledPackage): Readonly<Record<string, unknown>> | undefined {
  const list = readJson(join(root, 'node_modules/.package-lock.json'));
  const packages = isPlainObject(list) ? list['packages'] : undefined;
  const entry = isPlainObject(packages) ? packages[`node_modules/${name}`] : undefined;
  return isPlainObject(entry) && entry['version'] === version ? entry : undefined;
}

/** Reads a JSON file; `undefined` if there is none. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
