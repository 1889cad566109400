const actions = new Set<() => void>();

/** Runs `action` synchronously when this process exits. Returns a function that cancels it. */
export function onProcessExit(action: () => void): () => void {
  // All share one listener: Node warns at the eleventh.
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
      // The process is ending: the other actions must still run.
    }
  }
}
