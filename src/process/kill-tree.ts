import { readdirSync, readFileSync } from 'node:fs';

/** The variable in a child's environment by which its descendants are found. */
export const MARKER_VARIABLE = 'PEGBOARD_CALL';

/** A child and everything it started, wherever that went. */
export interface ProcessTree {
  /** The main child, which leads a process group of its own. */
  readonly pid: number;
  /** The random id in the environment of every member. */
  readonly id: string;
  /** True once the main child was reaped: its number may belong to somebody else then. */
  isReaped: boolean;
  /** Members seen so far, each with its start time: they stay members when they lose their parent. */
  readonly seen: Map<number, string>;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly start: string;
}

/**
 * Sends a signal to every process of a tree and gives how many it reached.
 *
 * Besides the process group it finds those that left it with `setsid`: by the marker in their environment, or by
 * their parents. Where there is no /proc (macOS) only the group is reached.
 */
export function signalTree(tree: ProcessTree, signal: NodeJS.Signals): number {
  const members = findMembers(tree);
  if (members === undefined) return send(-tree.pid, signal) ? 1 : 0;
  // The group at one stroke, so that nobody slips away between the look and the signal.
  const hasGroup = !tree.isReaped && send(-tree.pid, signal);
  let reached = 0;
  for (const { pid, group } of members) {
    if ((hasGroup && group === tree.pid) || send(pid, signal)) reached++;
  }
  return reached;
}

/** Tells whether any process of a tree still runs. */
export function isTreeAlive(tree: ProcessTree): boolean {
  return (findMembers(tree)?.length ?? (send(-tree.pid, 0) ? 1 : 0)) > 0;
}

/** The living members, or `undefined` where the system has no /proc. */
function findMembers(tree: ProcessTree): ProcessEntry[] | undefined {
  const entries = readProcesses();
  if (entries === undefined) return undefined;
  const members = new Set(entries.filter((entry) => isCertain(tree, entry)));
  // The group's number is only ours while somebody we know is in it.
  const hasGroup = !tree.isReaped || [...members].some(({ group }) => group === tree.pid);
  if (hasGroup) for (const entry of entries) if (entry.group === tree.pid) members.add(entry);
  addDescendants(members, entries);
  for (const { pid, start } of members) tree.seen.set(pid, start);
  return [...members];
}

function isCertain(tree: ProcessTree, { pid, start }: ProcessEntry): boolean {
  if (pid === tree.pid && !tree.isReaped) return true;
  return tree.seen.get(pid) === start || hasMarker(pid, tree.id);
}

function addDescendants(members: Set<ProcessEntry>, entries: readonly ProcessEntry[]): void {
  const children = Map.groupBy(entries, ({ parent }) => parent);
  // A set visits what is added to it on the way.
  for (const { pid } of members) for (const child of children.get(pid) ?? []) members.add(child);
}

/** The id is random, so its place in the environment does not matter: boards inside boards make a path of theirs. */
function hasMarker(pid: number, id: string): boolean {
  return read(pid, 'environ').includes(id);
}

function readProcesses(): ProcessEntry[] | undefined {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return undefined;
  }
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  // Something else may be mounted there.
  if (!numbers.includes(process.pid)) return undefined;
  return numbers.flatMap((pid) => (pid === process.pid ? [] : (readEntry(pid) ?? [])));
}

/** One process, unless it is gone or a zombie. */
function readEntry(pid: number): ProcessEntry | undefined {
  const fields = readStat(pid);
  const [state, parent, group] = fields;
  const start = fields[19];
  if (start === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), start };
}

/** When a process started, in the system's own count: with the pid it names one process and no later one. */
export function readStartTime(pid: number): string | undefined {
  return readStat(pid)[19];
}

/** The fields of /proc/PID/stat from the state on; the name before it may hold anything. */
function readStat(pid: number): string[] {
  const stat = read(pid, 'stat');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
