import { watchCall } from './board-watcher.ts';
import { type ProcessTree, signalTrees } from './kill-tree.ts';
import { onProcessExit } from '../on-process-exit.ts';

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
