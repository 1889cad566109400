import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toPattern } from '../../platform/process/child-environment.ts';
import type { BoardIdentity } from './boards-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a board depends on. */
export interface BoardVariables {
  readonly names: readonly string[];
  /** Patterns of names with `*` and `?`. */
  readonly patterns: readonly string[];
  /** True when the board depends on the folder that it was started in. */
  readonly usesFolder: boolean;
}

/** The description of a running board, in a file beside its socket. */
export interface BoardNotice extends BoardIdentity {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly socket: string;
  /** Each connection begins with it, and it is the key of the digest. */
  readonly token: string;
  readonly variables: BoardVariables;
  /** The values of its variables, those that may be secret as a keyed hash. */
  readonly digest: string;
}

/** A notice and the folder that it was read from. */
export interface FoundBoard extends BoardNotice {
  readonly folder: string;
}

const FILE = 'board.json';

/** Variables with paths, which are no secrets: to load what hashes takes a short command line longer than all else that it does. */
const PATHS: ReadonlySet<string> = new Set(['PEGBOARD_DATA', 'XDG_STATE_HOME']);

/**
 * Returns the variables that a board depends on in a form that processes can compare without showing values: paths, and a keyed hash of all
 * others if one of them is set.
 */
export function digestOf(
  { names, patterns, usesFolder }: BoardVariables,
  { env, cwd, token }: { readonly env: Environment; readonly cwd: string; readonly token: string },
): string {
  const tests = patterns.map(toPattern);
  const matching = tests.length === 0 ? [] : Object.keys(env).filter((name) => tests.some((test) => test.test(name)));
  const values = [...new Set([...names, ...matching])]
    .toSorted()
    .flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const { paths = [], others = [] } = Object.groupBy(values, ([name]) => (PATHS.has(name) ? 'paths' : 'others'));
  const hash = others.length === 0 ? '' : createHmac('sha256', token).update(JSON.stringify(others)).digest('hex');
  return JSON.stringify([paths, usesFolder ? cwd : '', hash]);
}

/** Writes the notice of a board into its folder. */
export function writeNotice(folder: string, notice: BoardNotice): void {
  const draft = join(folder, `${FILE}.new`);
  writeFileSync(draft, JSON.stringify(notice), { mode: 0o600 });
  renameSync(draft, join(folder, FILE));
}

/** Lists the boards that are running, or were. Skips folders without a readable notice. */
export function listNotices(folder: string): FoundBoard[] {
  return readdirSync(folder).flatMap((name) => {
    if (!name.includes('-')) return [];
    const own = join(folder, name);
    try {
      const notice: BoardNotice = JSON.parse(readFileSync(join(own, FILE), 'utf8'));
      return [{ ...notice, folder: own }];
    } catch {
      // It is being written or removed.
      return [];
    }
  });
}

/** Lists the boards with exactly these files, this version and this home folder. */
export function findNotices(folder: string, identity: BoardIdentity): FoundBoard[] {
  const { version, home } = identity;
  const files = JSON.stringify(identity.files);
  return listNotices(folder).filter(
    (notice) => notice.version === version && notice.home === home && JSON.stringify(notice.files) === files,
  );
}

/** Returns true when a process has the same values of the variables that a board depends on. */
export function fitsBoard(
  { variables, digest, token }: Pick<BoardNotice, 'variables' | 'digest' | 'token'>,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): boolean {
  // Both are this process's to know: a comparison in constant time would protect nothing.
  return digestOf(variables, { env, cwd, token }) === digest;
}

/** Removes the folder of a board that has ended. */
export function removeNotice({ folder }: Pick<FoundBoard, 'folder'>): void {
  rmSync(folder, { recursive: true, force: true });
}
