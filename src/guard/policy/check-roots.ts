import { existsSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { describeValue } from '../../tool/texts/describe-value.ts';
import type { ToolIssue } from '../../tool/tool-error.ts';
import { findValues } from '../../tool/parameters/find-values.ts';
import { isInside, resolveRealPath } from './resolve-real-path.ts';
import type { ToolPaths } from './tool-paths.ts';

/** At least two letters: `C:\` is a drive. */
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]+:[\\/]/;
/** Prefixes that commands read in front of a path: `@file` and `<file` of curl, `key=file`, blanks that a parser drops. */
const LEAD = /^(?:[@<\s]|[^=/]*=)/;
// oxlint-disable-next-line no-control-regex -- Parsers of addresses drop some of these, and no file needs them.
const CONTROLS = /[\u0001-\u001f\u007f]/;
const MAX_LEADS = 8;

/** The reason for refusing a path that differs for each process. */
export const OF_PROCESS = 'must not lead through /proc or /dev/fd, which lead elsewhere in each process';

/** Base folders of a check against roots. */
export interface RootOptions {
  readonly roots: readonly string[];
  /** The base of relative roots, and of the call's folder if that is relative. */
  readonly base: string;
  readonly home: string;
}

/** A path to check, and its argument for messages. */
export interface PathCandidate {
  /** The place of the value in the arguments. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly shown: unknown;
  /** The base folders of a relative path; empty when unknown. */
  readonly folders: readonly string[];
  readonly refusal?: string | undefined;
}

/** Finds path arguments that lead out of the allowed folders, resolved like the process that opens them would. */
export function checkRoots(
  args: Readonly<Record<string, unknown>>,
  paths: ToolPaths,
  options: RootOptions,
): ToolIssue[] {
  const candidates = findPaths(args, paths);
  if (candidates.length === 0) return [];
  const roots = realRoots(options);
  const issues = new Map<string, ToolIssue>();
  for (const { path, value, shown, folders: starts, refusal } of candidates) {
    const fault = paths.obstacle ?? refusal ?? pathFault(value, { ...options, folders: roots, starts });
    const key = path.join('\0');
    if (fault !== undefined && !issues.has(key))
      issues.set(key, { path, message: `${fault}; got ${describeValue(shown)}` });
  }
  return [...issues.values()];
}

/** Finds the paths of a call: its path arguments, and the paths that its tool builds from other arguments. */
export function findPaths(args: Readonly<Record<string, unknown>>, paths: ToolPaths): PathCandidate[] {
  const found = paths.names.flatMap((name) => findValues(args, name)).filter(({ value }) => value !== null);
  const folders = found.length === 0 ? [] : paths.folders(args);
  return [
    ...found.map(({ path, value }) => ({ path, value, shown: value, folders })),
    ...(paths.made?.(args) ?? []).flatMap((made): PathCandidate[] => {
      const { argument, path, folder, refusal } = made;
      if (made.onlyIfThere === true && !existsSync(isAbsolute(path) ? path : `${folder}${sep}${path}`)) return [];
      const given = made.given ?? findValues(args, argument)[0];
      return [
        { path: given?.path ?? [argument], value: path, shown: given?.value ?? path, folders: [folder], refusal },
      ];
    }),
  ];
}

/** Returns the folder that a root of the policy names; `undefined` if it differs for each process. */
export function rootFolder(root: string, { base, home }: Pick<RootOptions, 'base' | 'home'>): string | undefined {
  const expanded = root === '~' || root.startsWith('~/') ? join(home, root.slice(1)) : root;
  const { path, isOfProcess } = resolveRealPath(expanded, base);
  return isOfProcess ? undefined : path;
}

/** A root that cannot be read allows nothing. */
function realRoots(options: RootOptions): string[] {
  return options.roots.flatMap((root) => {
    try {
      return rootFolder(root, options) ?? [];
    } catch {
      return [];
    }
  });
}

interface Place extends RootOptions {
  /** The allowed folders with links resolved. */
  readonly folders: readonly string[];
  /** The base folders of a relative path. */
  readonly starts: readonly string[];
}

function pathFault(value: unknown, place: Place): string | undefined {
  if (typeof value !== 'string') return 'must be a path';
  if (value.includes('\0')) return 'must not contain a NUL character';
  if (CONTROLS.test(value)) return 'must not contain a control character';
  const readings = readLeads(value);
  const fault = readings.reduce<string | undefined>(
    (found, reading) => found ?? readingFault(reading, place),
    undefined,
  );
  return fault ?? (readings.length > MAX_LEADS ? 'must be one path' : undefined);
}

/** Lists the value itself, and its remainder after each prefix that a command may read before a path. */
export function readLeads(value: string): string[] {
  const readings = [value];
  for (let last = value; readings.length <= MAX_LEADS && LEAD.test(last); readings.push(last))
    last = last.replace(LEAD, '');
  return readings;
}

function readingFault(value: string, { roots, base, folders, starts }: Place): string | undefined {
  if (value.startsWith('~')) return 'must not start with "~": write the whole path, or "./~" for a file of that name';
  if (ADDRESS.test(value)) return 'must be a path, not an address (path: true or paths: in the config says so)';
  if (!isAbsolute(value) && starts.length === 0)
    return 'must be an absolute path, since it is not known where a relative one starts';
  const allowed =
    roots.length === 0 ? 'but the policy allows none' : roots.map((root) => describeValue(root)).join(', ');
  try {
    for (const start of isAbsolute(value) ? [base] : starts) {
      const from = resolveRealPath(start, base);
      const real = resolveRealPath(value, from.path);
      if (from.isOfProcess || real.isOfProcess) return OF_PROCESS;
      if (!folders.some((root) => isInside(real.path, root))) return `must lie in an allowed folder (${allowed})`;
    }
    return undefined;
  } catch {
    return 'must lead to a place that can be read: a link is circular, or a folder is closed';
  }
}
