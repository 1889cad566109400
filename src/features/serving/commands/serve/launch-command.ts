import { dirname, join, sep } from 'node:path';
import { findOwnPackage } from '../../../../platform/own-package.ts';

/** A program with its first arguments. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Temporary folders of package runners. */
const RUN_ONCE = /[\\/](?:_npx|dlx-[^\\/]*|bunx-[^\\/]*|xfs-[^\\/]*)[\\/]/;

/**
 * Returns the command with which a client starts this version of Pegboard.
 *
 * An installed copy is started directly. Otherwise the version is pinned, because the latest version may change later.
 */
export function launchCommand(from?: string): LaunchCommand {
  const { folder, version, bin } = findOwnPackage(from);
  const isInstalled = dirname(folder).endsWith(`${sep}node_modules`) && !RUN_ONCE.test(folder + sep);
  if (isInstalled && bin !== undefined) return { command: process.execPath, args: [join(folder, bin)] };
  return { command: 'npx', args: ['-y', version === undefined ? 'pegboard' : `pegboard@${version}`] };
}
