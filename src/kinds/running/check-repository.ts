import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../guard/policy/resolve-real-path.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { withGitSettings } from './git-settings.ts';

/** A command line whose program is git, or calls git. */
export interface GitLine {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The folder that the config chose: its repository belongs to the user. */
  readonly base: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folders of further repositories that the policy trusts. */
  readonly trusted: readonly string[];
  readonly signal: AbortSignal;
}

/** Options of git before its command that take the next word. */
const TAKES_WORD = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env']);
/** Commands that only read: for them, hooks could only do harm. */
const LOOKS = new Set(
  'blame branch cat-file config count-objects describe diff diff-files diff-index diff-tree for-each-ref grep log ls-files ls-tree merge-base name-rev reflog remote rev-list rev-parse shortlog show show-ref status tag'.split(
    ' ',
  ),
);
/** Settings of a repository that name a program or another place, for any command. */
const PROGRAMS =
  /^(?:alias\..+|core\.(?:alternaterefscommand|askpass|editor|gitproxy|pager|sshcommand|worktree)|credential\.(?:.+\.)?helper|diff\.external|diff\..+\.(?:command|textconv)|(?:diff|merge)tool\..+\.(?:cmd|path)|filter\..+\.(?:clean|smudge|process)|gpg\.(?:.+\.)?program|gpg\.ssh\.defaultkeycommand|interactive\.difffilter|merge\..+\.driver|pager\..+|protocol\..+|remote\..+\.(?:proxy|receivepack|uploadpack|vcs)|sequence\.editor|submodule\..+\.update|tar\..+\.command|trailer\..+\.(?:cmd|command)|uploadpack\..+|url\..+|browser\..+|man\..+|web\.browser)$/i;
/** Parts of a repository that may be links to another one. */
const PARTS = ['HEAD', 'config', 'config.worktree', 'hooks', 'index', 'objects', 'packed-refs', 'refs'];
/** Disables programs that even reading commands run: settings of the environment win over those of a repository. */
const QUIET = ['core.fsmonitor=false', 'log.showSignature=false'];
const HOOKS_PATH = /^core\.hookspath$/i;
const MAX_CONFIG = 1_000_000;
const MAX_NAMED = 5;
/** Stands for settings that git does not list: any of them may name a program. */
const UNLISTED = 'alias.*';

/**
 * Checks the repository in which git would run: one that is neither the board's own nor trusted must not name programs. Returns
 * the environment for git, or throws `permission_denied` if it would run a stranger's code.
 */
export async function checkRepository(line: GitLine): Promise<Readonly<Record<string, string>>> {
  const { argv, cwd, base, env, trusted, signal } = line;
  const { globals, command, folder, names } = readGlobals(argv, cwd);
  const isExplicit = names || env['GIT_DIR'] !== undefined;
  const there = isExplicit ? undefined : findRepository(folder);
  if (!isExplicit && there === undefined) return env;
  if (there !== undefined) {
    const own = findRepository(base);
    const known = [own?.top, ...trusted.map((path) => realOf(path))];
    if (known.includes(there.top) || isPartOf(there, own))
      return there.isBare ? withGitSettings(env, ['safe.bareRepository=all']) : env;
    if (there.isBare) throw refuse(there.top, 'is a bare repository, whose settings may come from anyone');
    const strange = findStrangePart(there);
    if (strange !== undefined) throw refuse(there.top, `has a ${strange} that leads to another repository`);
  }
  const shown = there?.top ?? folder;
  const looks = LOOKS.has(command);
  const found = (await listSettings(line, globals, signal))
    .filter(([name, value]) => PROGRAMS.test(name) || (!looks && (HOOKS_PATH.test(name) || isLocalRemote(name, value))))
    .map(([name]) => name);
  if (found.length > 0)
    throw refuse(
      shown,
      `has settings that name programs or lead elsewhere (${[...new Set(found)].slice(0, MAX_NAMED).join(', ')})`,
    );
  if (looks) return withGitSettings(env, [...QUIET, 'core.hooksPath=/dev/null']);
  const hooks = there === undefined ? [] : findHooks(there.folder);
  if (hooks.length > 0) throw refuse(shown, `has hooks (${hooks.join(', ')})`);
  return withGitSettings(env, QUIET);
}

function refuse(folder: string, what: string): ToolError {
  const shown = JSON.stringify(folder);
  const message = `${shown} ${what}, and git would run them or read there. It is not the repository of the board. A person who trusts it names it in the config: policy.files.repositories: [${shown}].`;
  return new ToolError({ code: 'permission_denied', message });
}

/** A setting of a repository: its name and its value. */
type Setting = readonly [name: string, value: string];

interface Globals {
  /** The words before the command. */
  readonly globals: readonly string[];
  readonly command: string;
  readonly folder: string;
  /** True when the line names the repository itself. */
  readonly names: boolean;
}

function readGlobals([program = '', ...words]: readonly string[], cwd: string): Globals {
  const own = /^git-([a-z-]+)/.exec(basename(program))?.[1];
  let folder = cwd;
  let names = false;
  if (own !== undefined || !basename(program).startsWith('git'))
    return { globals: [], command: own ?? '', folder, names };
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) break;
    const next = TAKES_WORD.has(word) ? words[++at] : undefined;
    if (word === '-C') folder = resolve(folder, next ?? '');
    names ||= /^--(?:git-dir|work-tree|bare)(?:=|$)/.test(word);
  }
  return { globals: words.slice(0, at), command: words[at] ?? '', folder, names };
}

/** A repository as git would find it from a folder. */
interface Repository {
  readonly top: string;
  /** The folder with its settings. */
  readonly folder: string;
  readonly isBare: boolean;
}

function findRepository(start: string): Repository | undefined {
  for (let top = realOf(start); ; top = dirname(top)) {
    const dot = join(top, '.git');
    if (lstatSync(dot, { throwIfNoEntry: false }) !== undefined)
      return { top, folder: realOf(readPointer(dot) ?? dot), isBare: false };
    if (isBare(top)) return { top, folder: top, isBare: true };
    if (dirname(top) === top) return undefined;
  }
}

/** Reads a `.git` file, which names the folder. */
function readPointer(dot: string): string | undefined {
  if (statSync(dot, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const [, path] = /^gitdir: (.*?)\s*$/.exec(readFileSync(dot, 'utf8').slice(0, 4096)) ?? [];
  return path === undefined ? undefined : resolve(dirname(dot), path);
}

function isBare(folder: string): boolean {
  const has = (name: string): boolean => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** Submodules and additional working trees have their settings inside the main repository's. */
function isPartOf({ folder }: Repository, own: Repository | undefined): boolean {
  return own !== undefined && isInside(folder, own.folder);
}

/** Finds a part of a repository that leads out of its folder. */
function findStrangePart({ top, folder }: Repository): string | undefined {
  if (!isInside(folder, top)) return '.git';
  const linked = PARTS.find(
    (part) => lstatSync(join(folder, part), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  const others = ['commondir', 'objects/info/alternates', 'objects/info/http-alternates'];
  return linked ?? others.find((part) => lstatSync(join(folder, part), { throwIfNoEntry: false }) !== undefined);
}

/** Lists the repository's own settings, including those of included files. Listing runs no program. */
async function listSettings(line: GitLine, globals: readonly string[], signal: AbortSignal): Promise<Setting[]> {
  const file = basename(line.argv[0] ?? '').toLowerCase() === 'git' ? (line.argv[0] ?? 'git') : 'git';
  const outcome = await runProcess({
    file,
    args: [...globals, 'config', '--list', '--show-scope', '--includes', '-z'],
    cwd: line.cwd,
    env: line.env,
    signal,
    capture: { limit: MAX_CONFIG },
  });
  if (outcome.type === 'failed') return [];
  // If git finds no repository, or rejects it, it runs nothing from there.
  if (outcome.code === 128) return [];
  const { stdout } = outcome;
  if (outcome.code !== 0 || stdout.type !== 'whole') return [[UNLISTED, '']];
  const words = stdout.bytes.toString('utf8').split('\0');
  return words.flatMap((word, index): Setting[] => {
    if (index % 2 === 0 || !/^(?:local|worktree)$/.test(words[index - 1] ?? '')) return [];
    const [name = '', ...value] = word.split('\n');
    return [[name, value.join('\n')]];
  });
}

/** True when a remote is a local folder: fetching would read it, wherever it is. */
function isLocalRemote(name: string, value: string): boolean {
  return /^remote\..+\.(?:url|pushurl)$/i.test(name) && !/^(?:(?:https?|ssh|git):\/\/|[\w.-]+@[\w.-]+:)/i.test(value);
}

function findHooks(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'hooks'))
      .filter((name) => !name.endsWith('.sample'))
      .slice(0, MAX_NAMED);
  } catch {
    return [];
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
