import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** A program and the arguments that come before its own. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where package runners put what they run once: it may be gone tomorrow. */
const RUN_ONCE = /[\\/](?:_npx|dlx-[^\\/]*|bunx-[^\\/]*|xfs-[^\\/]*)[\\/]/;

/**
 * How a client starts this very version of Pegboard.
 *
 * A copy that is installed is started as it is. Otherwise the version is pinned: what npm calls the latest one day is not
 * what was looked at when the entry was written.
 */
export function launchCommand(from: string = import.meta.dirname): LaunchCommand {
  const { folder, version, bin } = findPackage(from);
  const isInstalled = dirname(folder).endsWith(`${sep}node_modules`) && !RUN_ONCE.test(folder + sep);
  if (isInstalled && bin !== undefined) return { command: process.execPath, args: [join(folder, bin)] };
  return { command: 'npx', args: ['-y', version === undefined ? 'pegboard' : `pegboard@${version}`] };
}

interface FoundPackage {
  readonly folder: string;
  readonly version?: string;
  readonly bin?: string;
}

function findPackage(from: string): FoundPackage {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      const { name, version, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (name === 'pegboard') return { folder, version: String(version), bin: bin?.pegboard };
    } catch {
      // Not here: look further up.
    }
    if (dirname(folder) === folder) return { folder: from };
  }
}
