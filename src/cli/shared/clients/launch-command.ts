import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { findOwnPackage } from '../../../platform/own-package.ts';

/** The program and file with which a client starts Pegboard. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Describes the place of the file when it is deleted sooner or later. */
  readonly temporary?: 'cache' | 'folder';
}

/** Temporary folders of package runners. */
const RUN_ONCE = /[\\/](?:_npx|dlx-[^\\/]*|bunx-[^\\/]*|xfs-[^\\/]*)[\\/]/;
/** The place of a package in pnpm's store, whose path contains the version. */
const PNPM_STORE = /^(.*[\\/]node_modules[\\/])\.pnpm[\\/][^\\/]+[\\/]node_modules[\\/]pegboard$/;

/**
 * Returns the command that starts this copy of Pegboard: Node and the command's file, both as absolute paths. Clients start servers with
 * a `PATH` of their own, in any folder, and without a network.
 */
export function launchCommand(from: string = import.meta.dirname): LaunchCommand {
  const { folder, bin = 'dist/cli.js' } = findOwnPackage(from);
  // In a checkout the sources run unbuilt.
  const isSource = from.startsWith(join(folder, 'src') + sep);
  const file = isSource ? join(folder, 'src/cli/main.ts') : join(lastingFolder(folder), bin);
  const temporary = RUN_ONCE.test(file) ? 'cache' : isInTemporaryFolder(file) ? 'folder' : undefined;
  return { command: process.execPath, args: [file], ...(temporary === undefined ? {} : { temporary }) };
}

/** Warns that a client's entry stops working; nothing for one that lasts. `boards` are the files that it serves. */
export function warnOfLaunch({ args, temporary }: LaunchCommand, boards: readonly string[]): string[] {
  // A board in a temporary folder ends with it anyway.
  if (temporary === undefined || (temporary === 'folder' && boards.some(isInTemporaryFolder))) return [];
  const place = temporary === 'cache' ? 'the cache of a package runner' : 'a temporary folder';
  return [
    `The entry starts ${args[0]}, which is in ${place}: it stops working when that is cleaned. Install Pegboard with "npm install -g pegboard", and run this command again with the installed one.`,
  ];
}

/** Returns the path of a package that stays the same after updates. */
function lastingFolder(folder: string): string {
  const [, modules] = PNPM_STORE.exec(folder) ?? [];
  if (modules === undefined) return folder;
  const linked = join(modules, 'pegboard');
  return realPath(linked) === realPath(folder) ? linked : folder;
}

function isInTemporaryFolder(path: string): boolean {
  const temporary = realPath(tmpdir()) ?? tmpdir();
  return (realPath(path) ?? path).startsWith(temporary + sep);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
