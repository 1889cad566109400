const actions = new Set<() => void>();

/** Runs `action` synchronously when this process exits, unless the function given back was called before. */
export function onProcessExit(action: () => void): () => void {
  // One listener for all of them: Node warns from the eleventh on.
  if (actions.size === 0) process.on('exit', runAll);
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) process.off('exit', runAll);
  };
}

function runAll(): void {
  for (const action of actions) {
    try {
      action();
    } catch {
      // The process is going: the other actions still deserve their turn.
    }
  }
}
