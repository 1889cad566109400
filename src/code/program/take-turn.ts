/** Calls that all programs of this process may start in one turn of the event loop; further ones wait for the next. */
const CALLS_PER_TURN = 10;

/** A turn of the event loop in which programs make calls. */
interface Turn {
  calls: number;
  readonly over: Promise<void>;
}

let turn: Turn | undefined;

/**
 * Waits until a program may make a call without blocking other callers of this process. Otherwise a program with a thousand calls
 * of fast tools would make them all before anything else runs.
 */
export async function takeTurn(): Promise<void> {
  for (;;) {
    turn ??= startTurn();
    if (turn.calls < CALLS_PER_TURN) {
      turn.calls++;
      return;
    }
    await turn.over;
  }
}

function startTurn(): Turn {
  const over = Promise.withResolvers<void>();
  setImmediate(() => {
    turn = undefined;
    over.resolve();
  });
  return { calls: 0, over: over.promise };
}
