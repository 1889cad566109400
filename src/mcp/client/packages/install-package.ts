import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackagePin } from '../../../guard/lock/lock-file.ts';
import { describeOutput } from '../../../platform/process/describe-exit.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { makeFolder } from '../../../platform/store/private-file.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { foldersUpwards, installFolder, type OtherArchive } from './find-package.ts';
import { isForeign } from './is-foreign.ts';
import { type InstalledPackage, integrityOf, isComplete, isSameIntegrity, readInstalled } from './installed-package.ts';
import { isVersion } from './version-range.ts';

/** A package to install. */
export interface PackageInstall {
  readonly name: string;
  /** As npm takes it, with the version, range or tag. */
  readonly text: string;
  readonly pin: PackagePin | undefined;
  /** The working directory of the server, whose `.npmrc` counts as for npx. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder with the packages that boards installed. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export type PackageInstallation =
  | { readonly type: 'installed'; readonly installed: InstalledPackage }
  /** The archive has another hash than the pinned one; no script of it ran. */
  | ({ readonly type: 'other' } & OtherArchive)
  | {
      readonly type: 'failed';
      readonly message: string;
      /** The errors that npm reported. */
      readonly said: string;
    };

const FLAGS = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=error'];
/** The start of the names of unfinished installations. */
const DRAFT = '.new-';
/** Milliseconds after which nobody works on an unfinished installation any more: twice what one may take. */
const MAX_AGE = 1_200_000;

/**
 * Installs a package with npm, in a folder of its own for each version.
 *
 * npm works in a folder beside it, which takes its name when all is there: other processes see the whole package or nothing. If another
 * process was faster, its copy is used. As with npx, scripts of packages run, but not before a pinned hash was compared.
 */
export async function installPackage(install: PackageInstall): Promise<PackageInstallation> {
  const { name, text, pin, folder, signal } = install;
  const draft = join(folder, `${DRAFT}${randomUUID()}`);
  try {
    makeFolder(folder, 0o700);
    removeLeftovers(folder);
    mkdirSync(draft, 0o700);
    copySettings(install.cwd, draft);
    // An exact version never changes, so npm need not ask again for what it has.
    const isExact = isVersion(text.slice(name.length + 1));
    const isChecked = pin?.integrity !== undefined;
    const flags = [...(isExact ? ['--prefer-offline'] : []), ...(isChecked ? ['--ignore-scripts'] : [])];
    const failed = await runNpm(['install', ...flags, text], draft, install);
    if (failed !== undefined) return failed;
    const installed = readInstalled(draft, name);
    if (installed === undefined || !isComplete(installed))
      return { type: 'failed', message: `npm installed something else for ${text}`, said: '' };
    if (isChecked) {
      const integrity = integrityOf(installed) ?? 'none';
      if (!isSameIntegrity(integrity, pin.integrity))
        return { type: 'other', installed, integrity, place: 'of the registry' };
      const unbuilt = await runNpm(['rebuild'], draft, install);
      if (unbuilt !== undefined) return unbuilt;
    }
    signal.throwIfAborted();
    rmSync(join(draft, '.npmrc'), { force: true });
    const target = installFolder(folder, name, installed.version);
    return { type: 'installed', installed: moveInto(draft, target, name) };
  } catch (error) {
    return { type: 'failed', message: messageOf(error), said: '' };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function runNpm(
  args: readonly string[],
  draft: string,
  { env, signal }: PackageInstall,
): Promise<Extract<PackageInstallation, { type: 'failed' }> | undefined> {
  const [command = '', ...rest] = args;
  const outcome = await runProcess({
    file: 'npm',
    args: [command, '--prefix', draft, ...FLAGS, ...rest],
    cwd: draft,
    env,
    signal,
    stdin: '',
  });
  if (outcome.type === 'failed') return { type: 'failed', message: outcome.message, said: '' };
  if (outcome.code === 0) return undefined;
  const how = outcome.code === null ? 'was ended' : `ended with exit code ${outcome.code}`;
  const said = `${describeOutput(outcome.stderr)}\n`;
  return { type: 'failed', message: `npm ${command} ${how}`, said };
}

/** Copies the npm settings of the project around a folder, which can name another registry. Removed before the package is used. */
function copySettings(cwd: string, draft: string): void {
  for (const folder of foldersUpwards(cwd)) {
    const isThere = (part: string): boolean => existsSync(join(folder, part)) && !isForeign(join(folder, part), cwd);
    if (!isThere('package.json') && !isThere('node_modules')) continue;
    const settings = join(folder, '.npmrc');
    if (isThere('.npmrc')) copyFileSync(settings, join(draft, '.npmrc'));
    return;
  }
}

/** Gives a finished installation its place; if there is one already, that is used. */
function moveInto(draft: string, target: string, name: string): InstalledPackage {
  const find = (): InstalledPackage | undefined => {
    const installed = readInstalled(target, name);
    return installed !== undefined && isComplete(installed) ? installed : undefined;
  };
  try {
    renameSync(draft, target);
  } catch (error) {
    const other = find();
    if (other !== undefined) return other;
    if (!existsSync(target)) throw error;
    // A copy that somebody damaged.
    renameSync(target, `${draft}-old`);
    renameSync(draft, target);
    rmSync(`${draft}-old`, { recursive: true, force: true });
  }
  const installed = find();
  if (installed === undefined) throw new Error(`The package is not in ${target} any more`);
  return installed;
}

/** Removes what killed processes left unfinished. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(DRAFT)) continue;
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > MAX_AGE) rmSync(path, { recursive: true, force: true });
  }
}
