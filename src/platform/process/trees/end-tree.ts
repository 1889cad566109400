import { setTimeout as wait } from 'node:timers/promises';
import { killAtExit } from './kill-at-exit.ts';
import { type ProcessTree, signalTrees, type TreeSignal } from './kill-tree.ts';

/** Number of kill rounds for a tree that forks faster than it dies, and the milliseconds between them. */
const KILL_ROUNDS = 20;
const ROUND_PAUSE = 25;
/** The pause between two scans, in milliseconds and as a multiple of the last scan's duration. */
const LEAST_REST = 2;
const REST_SHARE = 4;

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
