import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { type CallMark, MARKER_VARIABLE } from './call-mark.ts';

/** One process that runs. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started, in the system's own count: with the pid it names one process and no later one. */
  readonly start: string;
}

/** Every process of the system at one moment, but for this one. */
export interface ProcessTable {
  find(pid: number): ProcessEntry | undefined;
  inGroup(group: number): readonly ProcessEntry[];
  childrenOf(pid: number): readonly ProcessEntry[];
  /** Those that inherited one of these marks, by mark; `known` ones are not looked at. */
  findMarked(marks: readonly CallMark[], known: ReadonlySet<ProcessEntry>): Map<CallMark, ProcessEntry[]>;
}

/** How long an id is, in hexadecimal digits. */
const ID_LENGTH = 32;
const RUNS = new RegExp(`[0-9a-f]{${ID_LENGTH},}`, 'g');
const MARK_FILE = new RegExp(`/pegboard-([0-9a-f]{${ID_LENGTH}})`);
/** The ids in the variable; the first five digits of one are its call's slack. */
const VARIABLE = new RegExp(`${MARKER_VARIABLE}=([^\\0]*)`);

/** Looks at all processes, or gives `undefined` where the system has no /proc. Blocks for some 20 µs for each of them. */
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

/** When a process started, as entries have it. */
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
    // What is older than this process was not started by it.
    if (known.has(entry) || Number(entry.start) < boardStart) continue;
    for (const mark of marksOf(entry, byId, bySlack)) marked.set(mark, [...(marked.get(mark) ?? []), entry]);
  }
  return marked;
}

/** The marks of a process, by its environment, else by its open files, else by its timer slack. */
function marksOf(
  { pid, start }: ProcessEntry,
  byId: ReadonlyMap<string, CallMark>,
  bySlack: ReadonlyMap<number, CallMark>,
): readonly CallMark[] {
  const environment = read(pid, 'environ');
  // The ids are random, so their place in the environment does not matter: boards inside boards make a path of theirs.
  const found = [...idsIn(environment)].flatMap((id) => byId.get(id) ?? []);
  if (found.length > 0) return found;
  const filed = idsOfFiles(pid).flatMap((id) => byId.get(id) ?? []);
  if (filed.length > 0 || bySlack.size === 0) return filed;
  const slack = Number(read(pid, 'timerslack_ns'));
  const mark = bySlack.get(slack);
  // A slack is used again some time.
  if (mark === undefined || Number(start) < mark.since) return [];
  // Calls of two boards may have the same. An id of another call counts only with its slack: a process can make one up.
  return namesSlack(environment, slack) ? [] : [mark];
}

function namesSlack(environment: string, slack: number): boolean {
  const ids = VARIABLE.exec(environment)?.[1]?.split('/') ?? [];
  return ids.some((id) => Number.parseInt(id.slice(0, 5), 16) === slack);
}

/** The ids in the names of a process's open files. */
function idsOfFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const [, id] = MARK_FILE.exec(readlinkSync(`/proc/${pid}/fd/${name}`)) ?? [];
      return id ?? [];
    });
  } catch {
    // It is gone, or not ours.
    return [];
  }
}

function* idsIn(environment: string): Iterable<string> {
  for (const [run] of environment.matchAll(RUNS)) {
    for (let at = 0; at + ID_LENGTH <= run.length; at++) yield run.slice(at, at + ID_LENGTH);
  }
}

/** One process, unless it is gone or a zombie. */
function readEntry(pid: number): ProcessEntry | undefined {
  const fields = readStat(pid);
  const [state, parent, group] = fields;
  const start = fields[19];
  if (start === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), start };
}

/** The fields of /proc/PID/stat from the state on; the name before it may hold anything. */
function readStat(pid: number): string[] {
  const stat = read(pid, 'stat');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

let buffer: Buffer | undefined;

/** A whole file of a process; empty when it is gone or not ours. Files of /proc do not tell their size, so one buffer serves all. */
function read(pid: number, file: string): string {
  buffer ??= Buffer.allocUnsafe(64 * 1024);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/${file}`, 'r');
    let text = '';
    for (;;) {
      const length = readSync(descriptor, buffer);
      text += buffer.toString('latin1', 0, length);
      // A short read is the end, but for environments: those come in pieces of a page.
      if (length === 0 || file !== 'environ') return text;
    }
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
