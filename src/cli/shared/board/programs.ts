import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';

/** Debian packages of programs, where the name differs. */
const PACKAGES: Readonly<Record<string, string>> = {
  rg: 'ripgrep',
  psql: 'postgresql-client',
  docker: 'docker.io',
  kubectl: 'kubernetes-client',
  npm: 'nodejs',
  bwrap: 'bubblewrap',
  systemctl: 'systemd',
  journalctl: 'systemd',
  ffprobe: 'ffmpeg',
};

/** Install pages of programs that package managers often lack. */
const PAGES: Readonly<Record<string, string>> = {
  docker: 'https://docs.docker.com/get-docker/',
  kubectl: 'https://kubernetes.io/docs/tasks/tools/',
  gh: 'https://cli.github.com',
  npm: 'https://nodejs.org',
};

const BREW: Readonly<Record<string, string>> = { rg: 'ripgrep', psql: 'libpq', npm: 'node', ffprobe: 'ffmpeg' };
/** Programs with a package of the same name, or one in `PACKAGES`. */
const KNOWN = new Set(['git', 'gh', 'jq', 'curl', 'sqlite3', 'ffmpeg', ...Object.keys(PACKAGES)]);

/** Finds the program for a name or path, as the system would. */
export function findProgram(command: string, { env, cwd }: Pick<CliContext, 'env' | 'cwd'>): string | undefined {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder || '.', command));
  return candidates.find(isProgram);
}

/**
 * Suggests what to write for a name that is not in PATH but is a file in this folder; `undefined` for other names. The bare name is
 * never run: in an untrusted folder, a file could have the name of a program that is not installed.
 */
export function hintLocalProgram(name: string, context: Pick<CliContext, 'env' | 'cwd'>): string | undefined {
  const isFile = statSync(resolve(context.cwd, name), { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile || (!name.includes('/') && findProgram(name, context) !== undefined)) return undefined;
  const local = name.includes('/') ? name : `./${name}`;
  if (findProgram(local, context) === undefined) {
    return `${name} is a file that is not executable. To use it as a command: chmod +x ${name}`;
  }
  return local === name ? undefined : `${name} is not in PATH but in this folder: write ./${name}`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns the install command of a program on this system; `undefined` for unknown programs. */
export function installHint(program: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (!KNOWN.has(program)) return undefined;
  const page = PAGES[program];
  const way = platform === 'darwin' ? BREW[program] : PACKAGES[program];
  const isOnlyLinux = PACKAGES[program] === 'systemd' || program === 'bwrap';
  if (isOnlyLinux && platform !== 'linux') return undefined;
  const line = platform === 'darwin' ? `brew install ${way ?? program}` : `apt install ${way ?? program}`;
  if (platform !== 'darwin' && platform !== 'linux') return page;
  return page === undefined ? line : `${line}, or see ${page}`;
}
