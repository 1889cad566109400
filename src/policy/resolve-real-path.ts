import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, sep } from 'node:path';

const MAX_LINKS = 40;
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/**
 * Follows a path as the system would when it opens it, and gives the place it leads to.
 *
 * Links are followed before `..` is, links that lead nowhere included; what does not exist yet is taken as written, so
 * that a file about to be made has a place too. Throws when a link leads in circles or a folder cannot be read.
 */
export function resolveRealPath(path: string, base: string): string {
  const absolute = isAbsolute(path) ? path : `${base}${sep}${path}`;
  let current = parse(absolute).root;
  const steps = stepsOf(absolute);
  let links = 0;
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (step === '' || step === '.') continue;
    if (step === '..') {
      current = dirname(current);
      continue;
    }
    const next = join(current, step);
    const target = readLink(next);
    if (target === undefined) {
      current = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new Error('too many links');
    if (isAbsolute(target)) current = parse(target).root;
    steps.push(...stepsOf(target));
  }
  return current;
}

/** Tells whether a place is a folder or lies inside it. Both must be real paths. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The steps of a path after its root, the first one last. */
function stepsOf(path: string): string[] {
  const rest = path.slice(parse(path).root.length);
  return rest.split(sep === '\\' ? /[\\/]/ : '/').toReversed();
}

function readLink(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && MISSING.has(error.code)) return undefined;
    throw error;
  }
}
