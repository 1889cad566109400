import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

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
  /** Those whose environment holds one of these ids, by id; `known` ones are not looked at. */
  findMarked(ids: ReadonlySet<string>, known: ReadonlySet<ProcessEntry>): Map<string, ProcessEntry[]>;
}

/** How long an id is, in hexadecimal digits. */
const ID_LENGTH = 32;
const RUNS = new RegExp(`[0-9a-f]{${ID_LENGTH},}`, 'g');

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
    findMarked: (ids, known) => findMarked(entries, ids, known),
  };
}

/** When a process started, as entries have it. */
export function readStartTime(pid: number): string | undefined {
  return readStat(pid)[19];
}

/** The ids are random, so their place in the environment does not matter: boards inside boards make a path of theirs. */
function findMarked(
  entries: readonly ProcessEntry[],
  ids: ReadonlySet<string>,
  known: ReadonlySet<ProcessEntry>,
): Map<string, ProcessEntry[]> {
  const marked = new Map<string, ProcessEntry[]>();
  const boardStart = Number(readStartTime(process.pid) ?? 0);
  for (const entry of entries) {
    // Whoever is older than this process was not started by it.
    if (known.has(entry) || Number(entry.start) < boardStart) continue;
    for (const id of idsIn(read(entry.pid, 'environ'))) {
      if (ids.has(id)) marked.set(id, [...(marked.get(id) ?? []), entry]);
    }
  }
  return marked;
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
      if (length === 0 || file === 'stat') return text;
    }
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
