import { lstatSync, readlinkSync, statfsSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, parse, sep } from 'node:path';

export interface RealPath {
  readonly path: string;
  /** True when the path leads through a place that differs for each process, such as /proc/self. */
  readonly isOfProcess: boolean;
}

const MAX_LINKS = 40;
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);
/** Places that differ for each process. */
const OF_PROCESS = /^\/(?:proc|dev\/(?:fd|stdin|stdout|stderr|tty))(?:\/|$)/;
/** The type of Linux's proc file system, which may be mounted anywhere. */
const PROC_TYPE = 0x9fa0;

/**
 * Resolves a path as the system does when it opens it.
 *
 * Follows links before `..`, broken ones too. Parts that do not exist stay as written, so that paths of new files can be checked. Throws
 * for circular links and unreadable folders.
 */
export function resolveRealPath(path: string, base: string): RealPath {
  const absolute = isAbsolute(path) ? path : `${base}${sep}${path}`;
  let current = parse(absolute).root;
  let isOfProcess = false;
  let device: number | undefined;
  const steps = stepsOf(absolute);
  let links = 0;
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step === '' || step === '.') continue;
    if (step === '..') {
      current = dirname(current);
      device = undefined;
      continue;
    }
    const next = join(current, step);
    const stats = lookAt(next);
    isOfProcess ||= OF_PROCESS.test(next);
    if (stats?.isSymbolicLink() !== true) {
      // Another file system, which never begins at a link, may be a proc file system.
      if (stats !== undefined && stats.dev !== device) isOfProcess ||= isProcFile(next);
      device = stats?.dev;
      current = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new Error('too many links');
    const target = readlinkSync(next);
    if (isAbsolute(target)) {
      current = parse(target).root;
      device = undefined;
    }
    steps.push(...stepsOf(target));
  }
  return { path: current, isOfProcess };
}

/** Returns true when a path is a folder or inside it. Both must be real paths. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Returns the steps of a path after its root, the first one last. */
function stepsOf(path: string): string[] {
  const rest = path.slice(parse(path).root.length);
  return rest.split(sep === '\\' ? /[\\/]/ : '/').toReversed();
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && MISSING.has(error.code)) return undefined;
    throw error;
  }
}

function isProcFile(path: string): boolean {
  try {
    return statfsSync(path).type === PROC_TYPE;
  } catch {
    // Not every system reports the type, and only Linux has such a file system.
    return false;
  }
}
