import { join } from 'node:path';
import { describeValue } from '../core/describe-value.ts';
import type { ToolIssue } from '../core/tool-error.ts';
import { findValues } from './find-values.ts';
import { isInside, resolveRealPath } from './resolve-real-path.ts';

/** Two letters at least: `C:\` is a drive. */
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]+:[\\/]/;

/** Where paths are read from, and what they must lie in. */
export interface RootOptions {
  readonly roots: readonly string[];
  /** Where relative roots start, and the call's folder when it is relative. */
  readonly base: string;
  readonly home: string;
  /** Where relative paths start. */
  readonly folder: string;
}

/** Finds path arguments that lead out of the allowed folders, links resolved. */
export function checkRoots(args: unknown, names: readonly string[], options: RootOptions): ToolIssue[] {
  const found = names.flatMap((name) => findValues(args, name)).filter(({ value }) => value !== null);
  if (found.length === 0) return [];
  const folders = realRoots(options);
  return found.flatMap(({ path, value }) => {
    const fault = pathFault(value, folders, options);
    return fault === undefined ? [] : [{ path, message: `${fault}; got ${describeValue(value)}` }];
  });
}

/** The folder that a root of the policy names. */
export function rootFolder(root: string, { base, home }: Pick<RootOptions, 'base' | 'home'>): string {
  const expanded = root === '~' || root.startsWith('~/') ? join(home, root.slice(1)) : root;
  return resolveRealPath(expanded, base);
}

/** A root that cannot be read allows nothing. */
function realRoots(options: RootOptions): string[] {
  return options.roots.flatMap((root) => {
    try {
      return [rootFolder(root, options)];
    } catch {
      return [];
    }
  });
}

function pathFault(
  value: unknown,
  folders: readonly string[],
  { roots, base, folder }: RootOptions,
): string | undefined {
  if (typeof value !== 'string') return 'must be a path';
  if (value.includes('\0')) return 'must not hold a NUL character';
  if (value.startsWith('~')) return 'must not start with "~": write the whole path, or "./~" for a file of that name';
  if (ADDRESS.test(value)) return 'must be a path, not an address';
  const allowed =
    roots.length === 0 ? 'but the policy allows none' : roots.map((root) => describeValue(root)).join(', ');
  try {
    const real = resolveRealPath(value, resolveRealPath(folder, base));
    return folders.some((root) => isInside(real, root)) ? undefined : `must lie in an allowed folder (${allowed})`;
  } catch {
    return 'must lead to a place that can be looked at: a link leads in circles, or a folder is closed';
  }
}
