import type { CallMark } from './call-mark.ts';
import { type ProcessEntry, type ProcessTable, readProcessTable } from './process-table.ts';

/** A child and everything it started, wherever that went. */
export interface ProcessTree {
  /** The main child, which leads a process group of its own. */
  readonly pid: number;
  /** What every member inherited. */
  readonly mark: CallMark;
  /** True once the main child was reaped: its number may belong to another process then. */
  isReaped: boolean;
  /** Members seen so far, each with its start time: they stay members when they lose their parent. */
  readonly seen: Map<number, string>;
}

/** What a tree is sent; 0 only asks whether a process is there. */
export type TreeSignal = 'SIGTERM' | 'SIGKILL' | 0;

/**
 * Sends signals to every process of some trees, after one look at the system, and gives how many each reached.
 *
 * Besides the process group it finds those that left it with `setsid`: by the mark they inherited, or by their
 * parents. Where there is no /proc (macOS) only the group is reached.
 */
export function signalTrees(orders: readonly (readonly [tree: ProcessTree, signal: TreeSignal])[]): number[] {
  const table = readProcessTable();
  if (table === undefined) return orders.map(([tree, signal]) => (send(-tree.pid, signal) ? 1 : 0));
  const found = findMembers(new Set(orders.map(([tree]) => tree)), table);
  return orders.map(([tree, signal]) => signalMembers(tree, found.get(tree) ?? new Set(), signal));
}

/** Sends a signal to every process of one tree and gives how many it reached. */
export function signalTree(tree: ProcessTree, signal: TreeSignal): number {
  return signalTrees([[tree, signal]])[0] ?? 0;
}

/** The numbers of all living processes of a tree; the main one alone where there is no /proc. */
export function listTree(tree: ProcessTree): number[] {
  const table = readProcessTable();
  if (table === undefined) return tree.isReaped ? [] : [tree.pid];
  return [...(findMembers(new Set([tree]), table).get(tree) ?? [])].map(({ pid }) => pid);
}

/** Milliseconds for which glances at trees share one look at the system. */
const GLANCE = 250;
let glance: { readonly table: ProcessTable | undefined; readonly at: number } | undefined;

/**
 * The numbers of the processes of a tree as they were a moment ago: its group, and what those started. Costs little where many commands run, as
 * marks are not looked for and all share one look at the system; for signals and limits take `listTree`.
 */
export function glanceAtTree(tree: ProcessTree): number[] {
  const now = performance.now();
  if (glance === undefined || now - glance.at > GLANCE) glance = { table: readProcessTable(), at: now };
  const { table } = glance;
  if (tree.isReaped || table === undefined) return tree.isReaped ? [] : [tree.pid];
  const main = table.find(tree.pid);
  const members = new Set(main === undefined ? [] : [main]);
  gather(tree, members, table);
  return [...members].map(({ pid }) => pid);
}

function signalMembers(tree: ProcessTree, members: ReadonlySet<ProcessEntry>, signal: TreeSignal): number {
  // The group in one signal, so that no process gets away between the look and the signal.
  const hasGroup = !tree.isReaped && send(-tree.pid, signal);
  let reached = 0;
  for (const { pid, group } of members) if ((hasGroup && group === tree.pid) || send(pid, signal)) reached++;
  return reached;
}

/** The living members of each tree. */
function findMembers(
  trees: ReadonlySet<ProcessTree>,
  table: ProcessTable,
): Map<ProcessTree, ReadonlySet<ProcessEntry>> {
  const found = new Map<ProcessTree, Set<ProcessEntry>>();
  const known = new Set<ProcessEntry>();
  for (const tree of trees) {
    const members = new Set<ProcessEntry>();
    const main = tree.isReaped ? undefined : table.find(tree.pid);
    if (main !== undefined) members.add(main);
    for (const [pid, start] of tree.seen) {
      const entry = table.find(pid);
      if (entry?.start === start) members.add(entry);
    }
    gather(tree, members, table);
    found.set(tree, members);
    for (const member of members) known.add(member);
  }
  const byMark = new Map([...trees].map((tree) => [tree.mark, tree]));
  // Looking for marks takes longest: only at those that no tree has claimed yet.
  for (const [mark, entries] of table.findMarked([...byMark.keys()], known)) {
    const tree = byMark.get(mark);
    const members = tree === undefined ? undefined : found.get(tree);
    if (tree === undefined || members === undefined) continue;
    for (const entry of entries) members.add(entry);
    gather(tree, members, table);
  }
  for (const [{ seen }, members] of found) for (const { pid, start } of members) seen.set(pid, start);
  return found;
}

/** Adds the rest of the group, and the processes that its members started. */
function gather(tree: ProcessTree, members: Set<ProcessEntry>, table: ProcessTable): void {
  // The group's number is only ours while a process we know is in it.
  const hasGroup = !tree.isReaped || [...members].some(({ group }) => group === tree.pid);
  if (hasGroup) for (const entry of table.inGroup(tree.pid)) members.add(entry);
  // A set visits what is added to it on the way.
  for (const { pid } of members) for (const child of table.childrenOf(pid)) members.add(child);
}

function send(pid: number, signal: TreeSignal): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
