import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { findValues } from '../../tool/parameters/find-values.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import type { ToolIssue } from '../../tool/tool-error.ts';
import { findPaths, OF_PROCESS, type PathCandidate, readLeads } from './check-roots.ts';
import { filePaths, isFileAddress } from './path-forms.ts';
import { isInside, resolveRealPath } from './resolve-real-path.ts';
import type { ToolPaths } from './tool-paths.ts';

export interface BoardPlaces {
  /** The data folders of boards, which no tool may read or write. */
  readonly closed: readonly string[];
  /** The files and folders that the board consists of, which no tool may write. */
  readonly own: readonly string[];
  /** Folders whose config files become part of the board. */
  readonly imported: readonly string[];
}

export interface PlacedCall {
  readonly args: Readonly<Record<string, unknown>>;
  /** Its known paths; `undefined` when any text may be a path. */
  readonly paths: ToolPaths | undefined;
  /** The base folders of relative paths; empty for a tool on another machine. */
  readonly folders: readonly string[];
  readonly writes: boolean;
}

const CONFIG_FILE = /\.(?:ya?ml|json)$/i;
/** Git folders: their settings and hooks name programs, which even `git status` runs. */
const GIT_FOLDER = /[\\/]\.git(?:[\\/]|$)/i;
/** A process of this machine: its memory, its variables, and its open files under other names. */
const PROCESS = /^\/proc\/(?:\d+|self|thread-self)(?:\/|$)/;
const PLACES_OF_PROCESSES = /^\/(?:proc|dev)(?:\/|$)/;
/** The longest path that a system opens. */
const MAX_PATH = 4096;
/** Maximum texts of a call to check when it is unknown which of them are paths. */
const MAX_TEXTS = 100_000;
/** The streams through which commands exchange data with their call. */
const STREAM = /^\/dev\/(?:stdin|stdout|stderr|null)$/;
const MAX_LISTED = 2000;

const ALLOW = 'policy.files.board: write in the config allows it';

/** Finds arguments of a call that lead to the board's data or, if it writes, to the board's own files. Follows links first. */
export function checkPlaces(call: PlacedCall, places: BoardPlaces): ToolIssue[] {
  const { args, paths, writes } = call;
  // The command sees another file system.
  if (paths?.obstacle !== undefined) return [];
  const hasKnownPaths = paths !== undefined;
  const candidates = hasKnownPaths ? findPaths(args, paths) : findTexts(call);
  if (candidates.length === 0) return [];
  if (!hasKnownPaths && candidates.length > MAX_TEXTS) {
    const message = `must have at most ${MAX_TEXTS} texts, because it is unknown which of them are paths: write paths in the entry of the tool`;
    return [{ path: [], message }];
  }
  const closed = onDemand(() => places.closed.map(locate));
  const own = onDemand(() => places.own.map(locate));
  const issues = new Map<string, ToolIssue>();
  for (const candidate of candidates) {
    const isWritten = writes && !isRead(candidate, paths);
    const fault = findFault(candidate, { closed, own: isWritten ? own : () => [], hasKnownPaths, isWritten, places });
    const key = candidate.path.join('\0');
    if (fault !== undefined && !issues.has(key))
      issues.set(key, { path: candidate.path, message: `${fault}; got ${describeValue(candidate.shown)}` });
  }
  return [...issues.values()];
}

function isRead({ path: [first] }: PathCandidate, paths: ToolPaths | undefined): boolean {
  return paths?.reads?.includes(String(first)) === true;
}

/** Lists every text of a call when it is unknown which of them are paths. */
function findTexts({ args, folders }: PlacedCall): PathCandidate[] {
  const texts = new Map<string, PathCandidate>();
  for (const { path, value } of findValues(args, '**')) {
    if (typeof value === 'string' && value !== '' && !texts.has(value))
      texts.set(value, { path, value, shown: value, folders });
  }
  return [...texts.values()];
}

/** A place of the board, with its inode, which identifies it under any name. */
interface Located {
  readonly path: string;
  readonly id: string | undefined;
  readonly above: ReadonlySet<string>;
}

interface Surroundings {
  // Computed on demand: it takes a dozen file system calls, and most texts are no paths.
  readonly closed: () => readonly Located[];
  readonly own: () => readonly Located[];
  readonly hasKnownPaths: boolean;
  readonly isWritten: boolean;
  readonly places: BoardPlaces;
}

function findFault({ value, folders }: PathCandidate, around: Surroundings): string | undefined {
  if (typeof value !== 'string' || value.includes('\0')) return undefined;
  // A command line or a program that contains the folder as written.
  if (!around.hasKnownPaths && value.includes(sep) && around.closed().some(({ path }) => names(value, path)))
    return IN_DATA;
  if (value.length > MAX_PATH || STREAM.test(value)) return undefined;
  const readings = readLeads(value).flatMap((text) => (isFileAddress(text) ? [text, ...filePaths(text)] : [text]));
  for (const reading of new Set(readings)) {
    for (const start of isAbsolute(reading) ? [sep] : folders) {
      // Most texts are no paths.
      if (!around.hasKnownPaths && !begins(reading, start)) continue;
      const fault = readingFault(reading, start, around);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** Returns true when a text names a path, and not only the beginning of a longer name. */
function names(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    if (!/[\w.-]/.test(text[at + path.length] ?? '')) return true;
  }
  return false;
}

const IN_DATA = 'must not lead to data that boards store (their data folder), which no tool may access';

function readingFault(reading: string, start: string, around: Surroundings): string | undefined {
  const real = follow(reading, start);
  if (real === undefined) return undefined;
  const { path, isOfProcess } = real;
  if (PROCESS.test(path) || (isOfProcess && !PLACES_OF_PROCESSES.test(path))) return OF_PROCESS;
  const ids = idsOf(path);
  const isIn = (place: Located): boolean =>
    isInside(path, place.path) || (place.id !== undefined && ids.includes(place.id));
  if (around.closed().some((place) => isIn(place) || isLinkInto(path, place))) return IN_DATA;
  const [id] = statId(path) === undefined ? [] : ids;
  const isAbove = (place: Located): boolean => isInside(place.path, path) || (id !== undefined && place.above.has(id));
  const below = around.hasKnownPaths
    ? around.closed().find((place) => place.id !== undefined && isAbove(place))
    : undefined;
  if (below !== undefined)
    return `must not be a folder above ${describeValue(below.path)}, where boards store their data: name a folder or file below it that does not contain it, or move the data (data in pegboard.yaml, PEGBOARD_DATA)`;
  return around.isWritten ? writingFault(path, { ...around, isIn, isAbove }) : undefined;
}

function writingFault(
  path: string,
  {
    own,
    hasKnownPaths,
    places,
    isIn,
    isAbove,
  }: Surroundings & { readonly isIn: (place: Located) => boolean; readonly isAbove: (place: Located) => boolean },
): string | undefined {
  const hit = own().find((place) => isIn(place) || (hasKnownPaths && isAbove(place)) || isSameFile(path, place.path));
  if (hit !== undefined) return `must not write ${describeValue(hit.path)}, which defines the board: ${ALLOW}`;
  if (CONFIG_FILE.test(path) && places.imported.some((folder) => isInside(path, follow(folder, sep)?.path ?? folder)))
    return `must not write a config file into a folder that the board imports: ${ALLOW}`;
  return GIT_FOLDER.test(path) ? `must not write into .git, whose settings name programs to run: ${ALLOW}` : undefined;
}

function onDemand<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns true when the first step of a path exists. */
function begins(path: string, start: string): boolean {
  const first = path.split('/').find((step) => step !== '' && step !== '.') ?? '';
  try {
    return lstatSync(join(start, first), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Resolves a path; `undefined` for one that no process can open. */
function follow(path: string, start: string): ReturnType<typeof resolveRealPath> | undefined {
  try {
    return resolveRealPath(path, resolveRealPath(start, sep).path);
  } catch {
    return undefined;
  }
}

function locate(place: string): Located {
  const path = follow(place, sep)?.path ?? place;
  const [own, ...above] = idsOf(path);
  const id = statId(path) === undefined ? undefined : own;
  return { path, id, above: new Set(id === undefined ? [own, ...above].filter((one) => one !== undefined) : above) };
}

/** Lists the inodes of the parts of a path, from its end to the top. Spelling and mounts do not change them. */
function idsOf(path: string): string[] {
  const ids: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    const id = statId(current);
    if (id !== undefined) ids.push(id);
    if (dirname(current) === current) return ids;
  }
}

function statId(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  } catch {
    return undefined;
  }
}

function isSameFile(path: string, other: string): boolean {
  return hasOtherNames(path) && statId(path) === statId(other);
}

/** Returns true when a file is a hard link to a file in a folder. */
function isLinkInto(path: string, { path: folder }: Located): boolean {
  if (!hasOtherNames(path)) return false;
  const id = statId(path);
  return listFiles(folder).some((file) => statId(file) === id);
}

function hasOtherNames(path: string): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.nlink > 1;
  } catch {
    return false;
  }
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries
      .filter((entry) => entry.isFile())
      .slice(0, MAX_LISTED)
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
