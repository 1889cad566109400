import { isTreeAlive, type ProcessTree, signalTree } from './kill-tree.ts';
import { onProcessExit } from './on-process-exit.ts';

/** How often a tree that forks faster than it dies is killed again, and the milliseconds between. */
const KILL_ROUNDS = 20;
const ROUND_PAUSE = 25;

/**
 * Ends a tree: TERM now, KILL after `grace` milliseconds for whoever is left.
 *
 * Nothing waits for it. Its timers do not keep the board alive; when the board exits first, the tree is killed then.
 */
export function endTree(tree: ProcessTree, grace: number): void {
  const forget = onProcessExit(() => signalTree(tree, 'SIGKILL'));
  signalTree(tree, 'SIGTERM');
  const kill = (round: number): void => {
    if (round === KILL_ROUNDS || signalTree(tree, 'SIGKILL') === 0) {
      forget();
      return;
    }
    setTimeout(() => kill(round + 1), ROUND_PAUSE).unref();
  };
  setTimeout(() => (isTreeAlive(tree) ? kill(0) : forget()), grace).unref();
}
