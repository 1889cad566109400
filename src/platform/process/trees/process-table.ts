import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { type CallMark, LEAST_SLACK, MARKER_VARIABLE, MOST_SLACK } from './call-mark.ts';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The start time in the system's units. Together with the pid it identifies one process. */
  readonly start: string;
}

/** All processes of the system at one moment, except this one. */
export interface ProcessTable {
  find(pid: number): ProcessEntry | undefined;
  inGroup(group: number): readonly ProcessEntry[];
  childrenOf(pid: number): readonly ProcessEntry[];
  /** Finds processes that inherited one of these marks. Skips `known` ones. */
  findMarked(marks: readonly CallMark[], known: ReadonlySet<ProcessEntry>): Map<CallMark, ProcessEntry[]>;
}

/** Length of an id in hexadecimal digits. */
const ID_LENGTH = 32;
const RUNS = new RegExp(`[0-9a-f]{${ID_LENGTH},}`, 'g');
const MARK_FILE = new RegExp(`/pegboard-([0-9a-f]{${ID_LENGTH}})`);
/** Matches the ids in the variable. The first five digits of an id are the slack of its call. */
const VARIABLE = new RegExp(`${MARKER_VARIABLE}=([^\\0]*)`);

/** Reads all processes; `undefined` when the system has no /proc. Blocks for about 20 µs per process. */
export function readProcessTable(): ProcessTable | undefined {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return undefined;
  }
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  // Something else may be mounted there.
  if (!numbers.includes(process.pid)) return undefined;
  const entries = numbers.flatMap((pid) => (pid === process.pid ? [] : (readEntry(pid) ?? [])));
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  const groups = Map.groupBy(entries, ({ group }) => group);
  const children = Map.groupBy(entries, ({ parent }) => parent);
  return {
    find: (pid) => byPid.get(pid),
    inGroup: (group) => groups.get(group) ?? [],
    childrenOf: (pid) => children.get(pid) ?? [],
    findMarked: (marks, known) => findMarked(entries, marks, known),
  };
}

/** Returns the start time of a process, as in its entry. */
export function readStartTime(pid: number): string | undefined {
  return readStat(pid)[19];
}

function findMarked(
  entries: readonly ProcessEntry[],
  marks: readonly CallMark[],
  known: ReadonlySet<ProcessEntry>,
): Map<CallMark, ProcessEntry[]> {
  const marked = new Map<CallMark, ProcessEntry[]>();
  const byId = new Map(marks.map((mark) => [mark.id, mark]));
  const bySlack = new Map(marks.flatMap((mark) => (mark.slack === undefined ? [] : [[mark.slack, mark] as const])));
  const boardStart = Number(readStartTime(process.pid) ?? 0);
  for (const entry of entries) {
    // Processes older than this one were not started by it.
    if (known.has(entry) || Number(entry.start) < boardStart) continue;
    for (const mark of marksOf(entry, byId, bySlack)) marked.set(mark, [...(marked.get(mark) ?? []), entry]);
  }
  return marked;
}

/** Finds the marks of a process: in its environment, else in its open files, else by its timer slack. */
function marksOf(
  { pid, start }: ProcessEntry,
  byId: ReadonlyMap<string, CallMark>,
  bySlack: ReadonlyMap<number, CallMark>,
): readonly CallMark[] {
  const environment = readProcessFile(pid, 'environ');
  // The ids are random, so their position does not matter. Nested boards join theirs to a path.
  const found = [...idsIn(environment)].flatMap((id) => byId.get(id) ?? []);
  if (found.length > 0) return found;
  const filed = idsOfFiles(pid).flatMap((id) => byId.get(id) ?? []);
  if (filed.length > 0 || bySlack.size === 0) return filed;
  const slack = Number(readProcessFile(pid, 'timerslack_ns'));
  const mark = bySlack.get(slack);
  // Slack values are reused after a while.
  if (mark === undefined || Number(start) < mark.since) return [];
  // Calls of two boards may use the same slack. An id of another call counts only with its slack: a process could forge one.
  return namesSlack(environment, slack) ? [] : [mark];
}

function namesSlack(environment: string, slack: number): boolean {
  const ids = VARIABLE.exec(environment)?.[1]?.split('/') ?? [];
  return ids.some((id) => Number.parseInt(id.slice(0, 5), 16) === slack);
}

function idsOfFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap(
      (name) => MARK_FILE.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1] ?? [],
    );
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}

/** Returns an empty text for a file that was closed meanwhile, such as the one that lists the files of this process. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function* idsIn(environment: string): Iterable<string> {
  for (const [run] of environment.matchAll(RUNS)) {
    for (let at = 0; at + ID_LENGTH <= run.length; at++) yield run.slice(at, at + ID_LENGTH);
  }
}

/** Reads one process; `undefined` for one that has ended or is a zombie. */
function readEntry(pid: number): ProcessEntry | undefined {
  const fields = readStat(pid);
  const [state, parent, group] = fields;
  const start = fields[19];
  if (start === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), start };
}

/** Returns the fields of /proc/PID/stat from the state on. The name before it may contain anything. */
function readStat(pid: number): string[] {
  const stat = readProcessFile(pid, 'stat');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

let buffer: Buffer | undefined;

/** Reads a file of a process; empty when it has ended or belongs to another user. /proc files report no size, so all share one buffer. */
function readProcessFile(pid: number, file: string): string {
  buffer ??= Buffer.allocUnsafe(64 * 1024);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/${file}`, 'r');
    let text = '';
    for (;;) {
      const length = readSync(descriptor, buffer);
      text += buffer.toString('latin1', 0, length);
      // A short read means the end, except for environments, which arrive in pages.
      if (length === 0 || file !== 'environ') return text;
    }
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** No real tree is deeper; a process table that changes during the scan could look like a cycle. */
const MOST_PARENTS = 1_000;

/**
 * Returns true when a call of a board started this process, directly or not. Checks the environment, open files and timer slack of this
 * process and its ancestors.
 *
 * This is a hint, not a security boundary: a process can leave a tree and hide its origin.
 */
export function isInsideCall(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env[MARKER_VARIABLE] !== undefined || process.env[MARKER_VARIABLE] !== undefined) return true;
  let pid = process.pid;
  for (let count = 0; pid > 1 && count < MOST_PARENTS; count++) {
    if (isMarked(pid)) return true;
    pid = Number(readStat(pid)[1] ?? 0) || 0;
  }
  return false;
}

function isMarked(pid: number): boolean {
  if (`\0${readProcessFile(pid, 'environ')}`.includes(`\0${MARKER_VARIABLE}=`)) return true;
  const slack = Number(readProcessFile(pid, 'timerslack_ns'));
  return (slack >= LEAST_SLACK && slack <= MOST_SLACK) || idsOfFiles(pid).length > 0;
}

let own: string | undefined;

/** Returns an identifier of this process that others can pass to `isGone`. */
export function thisProcess(): string {
  return (own ??= [machine(), process.pid, readStartTime(process.pid) ?? ''].join(' '));
}

/**
 * Returns true when the process with this identifier has certainly ended.
 *
 * Processes on another machine or in another container cannot be checked and count as running.
 */
export function isGone(mark: string): boolean {
  const [place, pid, start] = mark.split(' ');
  if (place !== machine() || pid === undefined) return false;
  // Pids are reused: a different start time means a different process.
  return !isAlive(Number(pid)) || (readStartTime(Number(pid)) ?? '') !== start;
}

let place: string | undefined;

/** Identifies this boot of this machine and the pid namespace of this container. */
function machine(): string {
  return (place ??= [
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), hostname()),
    read(() => readlinkSync('/proc/self/ns/pid'), ''),
  ].join('/'));
}

function read(work: () => string, fallback: string): string {
  try {
    return work().replaceAll(' ', '');
  } catch {
    return fallback;
  }
}

/** Returns true when a process with this pid runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
