import { dirname, join, sep } from 'node:path';
import { findOwnPackage } from '../../../platform/own-package.ts';

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
export function launchCommand(from?: string): LaunchCommand {
  const { folder, version, bin } = findOwnPackage(from);
  const isInstalled = dirname(folder).endsWith(`${sep}node_modules`) && !RUN_ONCE.test(folder + sep);
  if (isInstalled && bin !== undefined) return { command: process.execPath, args: [join(folder, bin)] };
  return { command: 'npx', args: ['-y', version === undefined ? 'pegboard' : `pegboard@${version}`] };
}
