import { setTimeout as wait } from 'node:timers/promises';
import { killAtExit } from './kill-at-exit.ts';
import { type ProcessTree, signalTrees, type TreeSignal } from './kill-tree.ts';

/** How often a tree that forks faster than it dies is killed again, and the milliseconds between. */
const KILL_ROUNDS = 20;
const ROUND_PAUSE = 25;

/**
 * Ends a tree: TERM at the end of this turn, KILL after `grace` milliseconds for the processes that are left.
 *
 * Nothing waits for it. Its timers do not keep the board alive; when the board exits first, the tree is killed then.
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

/** Sends a signal and gives how many it reached. Looking for the members takes long, so that trees that end together share one look. */
function signalSoon(tree: ProcessTree, signal: TreeSignal): Promise<number> {
  if (orders.length === 0) setImmediate(flush);
  return new Promise((done) => orders.push({ tree, signal, done }));
}

function flush(): void {
  const due = orders;
  orders = [];
  const reached = signalTrees(due.map(({ tree, signal }) => [tree, signal]));
  for (const [index, { done }] of due.entries()) done(reached[index] ?? 0);
}
