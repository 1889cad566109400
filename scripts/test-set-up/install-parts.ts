import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, type Part, PARTS, type PartName } from './parts.ts';

const root = join(import.meta.dirname, '../..');
const MINUTE = 60_000;

/** The file with everything that the programs of the set-up print. */
export const LOG: string = join(root, '.cache/test-set-up.log');

/** Slow and broken networks end after a bounded time; so does waiting for another apt-get. */
const APT = [
  'Acquire::Retries=2',
  'Acquire::http::Timeout=30',
  'Acquire::https::Timeout=30',
  'DPkg::Lock::Timeout=120',
  // Slim machines leave out manual pages. Options of the command come after those of files, and the last one decides.
  'DPkg::Options::=--path-include=/usr/share/man/*',
].flatMap((option) => ['-o', option]);

/** Why the set-up installs no packages here, or `undefined` when it does. */
export function findInstallProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'packages are installed for root alone';
  return findProgram('apt-get') === undefined ? 'this system has no apt-get' : undefined;
}

/** Installs what these parts need of Debian's packages. Packages that are there stay as they are; one that fails holds up no other. */
export function installPackages(names: readonly PartName[], say: (line: string) => void): void {
  const parts = names.map((name): Part => PARTS[name]);
  say('Reads the lists of packages.');
  const update = run(['apt-get', 'update', ...APT], 5 * MINUTE);
  if (update.status !== 0) say(`apt-get update failed; the lists of packages that are there are used (${LOG}).`);
  const wanted = pick(
    parts.filter(({ isReinstalled }) => isReinstalled !== true),
    say,
  );
  install(
    wanted.filter((name) => !isInstalled(name)),
    [],
    say,
  );
  // Those of a program that was installed just now came with it.
  const withoutPages = parts.filter(({ isReinstalled, isThere }) => isReinstalled === true && isThere() !== true);
  install(pick(withoutPages, say).filter(isInstalled), ['--reinstall'], say);
}

/** Runs the script of a part. */
export function runScript(name: PartName, say: (line: string) => void): void {
  const { script }: Part = PARTS[name];
  if (script === undefined) return;
  const env = {
    npm_config_fetch_retries: '1',
    npm_config_fetch_retry_mintimeout: '1000',
    npm_config_fetch_timeout: '60000',
  };
  say(`Runs ${script.words.join(' ')}.`);
  const { status, stderr } = run(script.words, 20 * MINUTE, env);
  if (status !== 0) say(`${script.words.join(' ')} failed: ${lastLine(stderr)} (${LOG})`);
}

function install(packages: readonly string[], flags: readonly string[], say: (line: string) => void): void {
  if (packages.length === 0) return;
  say(`Installs ${packages.join(' ')}.`);
  // Nothing that is there is removed for it.
  const words = ['apt-get', 'install', '-y', '--no-install-recommends', '--no-remove', ...flags, ...APT];
  if (run([...words, ...packages], 20 * MINUTE).status === 0) return;
  for (const one of packages) {
    const { status, stderr } = run([...words, one], 10 * MINUTE);
    if (status !== 0) say(`${one} could not be installed: ${lastLine(stderr)} (${LOG})`);
  }
}

/** Of each `a|b` the first package that the sources of this machine have. */
function pick(parts: readonly Part[], say: (line: string) => void): string[] {
  return [...new Set(parts.flatMap(({ packages }) => packages))].flatMap((names) => {
    const found = names.split('|').find(hasCandidate);
    if (found === undefined) say(`The package sources of this machine do not have ${names.replaceAll('|', ' or ')}.`);
    return found ?? [];
  });
}

/** Ubuntu's packages of a browser only fetch a snap, which does not run in containers. */
function hasCandidate(name: string): boolean {
  return /Candidate: (?!\(none\)|\S*snap)\S/.test(run(['apt-cache', 'policy', name], MINUTE).stdout);
}

function isInstalled(name: string): boolean {
  return run(['dpkg-query', '-W', '-f', '${Status}', name], MINUTE).stdout.endsWith(' installed');
}

function run(
  words: readonly string[],
  timeout: number,
  env: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  const [command = '', ...args] = words;
  mkdirSync(join(root, '.cache'), { recursive: true });
  const ended = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 1e9,
    timeout,
  });
  const end = ended.error?.message ?? `exit ${ended.status}`;
  appendFileSync(LOG, `$ ${words.join(' ')}\n${ended.stdout ?? ''}${ended.stderr ?? ''}[${end}]\n`);
  return ended;
}

function lastLine(text: string | null): string {
  return (
    text
      ?.trim()
      .split('\n')
      .findLast((line) => line.trim() !== '') ?? 'it could not be started'
  );
}
