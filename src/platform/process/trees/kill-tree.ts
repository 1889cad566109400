import type { CallMark } from './call-mark.ts';
import { type ProcessEntry, type ProcessTable, readProcessTable } from './process-table.ts';

/** A child and all its descendants. */
export interface ProcessTree {
  /** The main child, which leads its own process group. */
  readonly pid: number;
  /** The mark that every member inherited. */
  readonly mark: CallMark;
  /** True after the main child was reaped: its pid may then belong to another process. */
  isReaped: boolean;
  /** Members seen so far with their start times. They stay members when they lose their parent. */
  readonly seen: Map<number, string>;
}

/** A signal to a tree; 0 only tests for existence. */
export type TreeSignal = 'SIGTERM' | 'SIGKILL' | 0;

/**
 * Sends signals to every process of some trees after one scan, and returns the number reached for each.
 *
 * Finds processes that left the process group with `setsid` too: by the mark they inherited, or by their parents. Without /proc (macOS),
 * only the group is reached.
 */
export function signalTrees(orders: readonly (readonly [tree: ProcessTree, signal: TreeSignal])[]): number[] {
  const table = readProcessTable();
  if (table === undefined) return orders.map(([tree, signal]) => (send(-tree.pid, signal) ? 1 : 0));
  const found = findMembers(new Set(orders.map(([tree]) => tree)), table);
  return orders.map(([tree, signal]) => signalMembers(tree, found.get(tree) ?? new Set(), signal));
}

/** Sends a signal to every process of one tree and returns the number reached. */
export function signalTree(tree: ProcessTree, signal: TreeSignal): number {
  return signalTrees([[tree, signal]])[0] ?? 0;
}

/** Lists the pids of all living processes of a tree; only the main one without /proc. */
export function listTree(tree: ProcessTree): number[] {
  const table = readProcessTable();
  if (table === undefined) return tree.isReaped ? [] : [tree.pid];
  return [...(findMembers(new Set([tree]), table).get(tree) ?? [])].map(({ pid }) => pid);
}

/** Milliseconds for which quick checks share one scan. */
const GLANCE = 250;
let glance: { readonly table: ProcessTable | undefined; readonly at: number } | undefined;

/**
 * Lists the pids of a tree as of a moment ago: its group and their children. Cheap with many commands, because it does not read marks and
 * all checks share one scan. Use `listTree` for signals and limits.
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
  // Signals the group at once, so that no process escapes between the scan and the signal.
  const hasGroup = !tree.isReaped && send(-tree.pid, signal);
  let reached = 0;
  for (const { pid, group } of members) if ((hasGroup && group === tree.pid) || send(pid, signal)) reached++;
  return reached;
}

/** Finds the living members of each tree. */
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
  // Reading marks is slowest: only for processes that belong to no tree yet.
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

/** Adds the rest of the group and all children of its members. */
function gather(tree: ProcessTree, members: Set<ProcessEntry>, table: ProcessTable): void {
  // The group's number is ours only while it has a known process.
  const hasGroup = !tree.isReaped || [...members].some(({ group }) => group === tree.pid);
  if (hasGroup) for (const entry of table.inGroup(tree.pid)) members.add(entry);
  // Iterating a set includes members added meanwhile.
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
