import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../cli-context.ts';

const NAMES = ['pegboard.yaml', 'pegboard.yml', 'pegboard.json'];
/** Names beside the config that a board also uses. */
const BESIDE = ['.pegboard', 'pegboard.lock'];

/** The parts of the context that decide which config is found. */
type Finder = Pick<CliContext, 'cwd' | 'env' | 'trustsFound'>;

/**
 * Finds the files for a command: the given ones, or the nearest pegboard.yaml in this folder or above.
 *
 * Opening a board runs what its config says, so a config that was not named must belong to this user or to root.
 */
export function findConfig(files: readonly string[], finder: Finder): readonly string[] {
  const found = tryFindConfig(files, finder);
  if (found !== undefined) return found;
  throw new ToolError({
    code: 'not_found',
    message: `There is no ${NAMES.join(', ')} in this folder or above. Name a config file, or create one with: pegboard init`,
  });
}

/** Finds the files like `findConfig`, or returns `undefined` when there are none. */
export function tryFindConfig(files: readonly string[], finder: Finder): readonly string[] | undefined {
  if (files.length > 0) return files;
  const { cwd } = finder;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const name = NAMES.find((candidate) => existsSync(join(folder, candidate)));
    if (name !== undefined) {
      checkOwners(join(folder, name), finder);
      // Relative paths keep messages short.
      return [relative(cwd, join(folder, name))];
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Refuses a config that another user may have written, or that would load files of another user. */
function checkOwners(file: string, { env, trustsFound }: Finder): void {
  // Windows has no user ids.
  const user = process.geteuid?.();
  if (user === undefined || trustsFound === true) return;
  // Under sudo, root works in the folders of the person who ran it.
  const sudoer = user === 0 ? /^\d+$/.exec(env['SUDO_UID'] ?? '')?.[0] : undefined;
  const trusted = new Set([user, 0, ...(sudoer === undefined ? [] : [Number(sudoer)])]);
  const beside = BESIDE.map((name) => join(dirname(file), name)).filter((path) => existsSync(path));
  for (const path of new Set([file, dirname(file), dirname(realpathSync(file)), ...beside])) {
    // A link and its target may have different owners.
    const owner = [lstatSync(path).uid, statSync(path).uid].find((uid) => !trusted.has(uid));
    if (owner !== undefined) throw refuseOwner(file, path, owner);
  }
}

function refuseOwner(file: string, path: string, owner: number): ToolError {
  const what = path === file ? '' : `, found for ${JSON.stringify(file)},`;
  return new ToolError({
    code: 'permission_denied',
    message: `${JSON.stringify(path)}${what} belongs to another user (${owner}), who could make you run anything. Check the config, then name it with --file ${JSON.stringify(file)}, or add --trust.`,
  });
}
