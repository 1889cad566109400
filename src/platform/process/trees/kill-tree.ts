import type { CallMark } from './call-mark.ts';
import { type ProcessEntry, type ProcessTable, readProcessTable } from './process-table.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { watchCall } from './board-watcher.ts';
import { onProcessExit } from '../on-process-exit.ts';

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
type TreeSignal = 'SIGTERM' | 'SIGKILL' | 0;

/**
 * Sends signals to every process of some trees after one scan, and returns the number reached for each.
 *
 * Finds processes that left the process group with `setsid` too: by the mark they inherited, or by their parents. Without /proc (macOS),
 * only the group is reached.
 */
function signalTrees(orders: readonly (readonly [tree: ProcessTree, signal: TreeSignal])[]): number[] {
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

/** Number of kill rounds for a tree that forks faster than it dies, and the milliseconds between them. */
const KILL_ROUNDS = 20;
const ROUND_PAUSE = 25;
/** The pause between two scans, in milliseconds and as a multiple of the last scan's duration. */
const LEAST_REST = 2;
const REST_SHARE = 20;

/**
 * Ends a tree: TERM at the end of this turn, KILL after `grace` milliseconds for the remaining processes.
 *
 * Returns at once. Its timers do not keep the board alive; if the board exits first, the tree is killed then.
 */
export function endTree(tree: ProcessTree, grace: number): void {
  void end(tree, grace);
}

async function end(tree: ProcessTree, grace: number): Promise<void> {
  const forget = killAtExit(tree);
  await signalSoon(tree, 'SIGTERM');
  await wait(grace, undefined, { ref: false });
  let left = await signalSoon(tree, 0);
  for (let round = 0; left > 0 && round < KILL_ROUNDS; round++) {
    left = await signalSoon(tree, 'SIGKILL');
    if (left > 0) await wait(ROUND_PAUSE, undefined, { ref: false });
  }
  forget();
}

interface Order {
  readonly tree: ProcessTree;
  readonly signal: TreeSignal;
  readonly done: (reached: number) => void;
}

let orders: Order[] = [];
let immediate: NodeJS.Immediate | undefined;
let timer: NodeJS.Timeout | undefined;
/** The end of the last scan and its duration in milliseconds. */
let lastLook = { end: 0, cost: 0 };

/**
 * Sends a signal and returns the number of processes reached. Finding members is slow, so trees that end together share one scan. Only
 * TERM scans at once: later signals leave the processor to the processes that should end.
 */
function signalSoon(tree: ProcessTree, signal: TreeSignal): Promise<number> {
  if (signal === 'SIGTERM') immediate ??= setImmediate(flush);
  else if (immediate === undefined) {
    const rest = LEAST_REST + lastLook.cost * REST_SHARE - (performance.now() - lastLook.end);
    timer ??= setTimeout(flush, Math.max(LEAST_REST, rest)).unref();
  }
  return new Promise((done) => orders.push({ tree, signal, done }));
}

function flush(): void {
  const due = orders;
  orders = [];
  clearTimeout(timer);
  immediate = timer = undefined;
  const start = performance.now();
  const reached = signalTrees(due.map(({ tree, signal }) => [tree, signal]));
  const end = performance.now();
  lastLook = { end, cost: end - start };
  for (const [index, { done }] of due.entries()) done(reached[index] ?? 0);
}

const held = new Set<{ readonly tree: ProcessTree }>();
let forget: (() => void) | undefined;

/** Kills a tree when this process ends in any way. Returns a function that cancels it. One scan covers all trees. */
export function killAtExit(tree: ProcessTree): () => void {
  // Another holder of the same tree releases it at another time.
  const entry = { tree };
  const forgetWatch = watchCall(tree.mark, tree.pid);
  held.add(entry);
  forget ??= onProcessExit(() => signalTrees([...held].map((each) => [each.tree, 'SIGKILL'])));
  return () => {
    held.delete(entry);
    forgetWatch();
    if (held.size > 0) return;
    forget?.();
    forget = undefined;
  };
}
