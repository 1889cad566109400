/** Calls that all programs of this process begin in one turn of the event loop. Further ones wait for the next. */
const CALLS_PER_TURN = 10;

/** A turn of the event loop in which programs made calls. */
interface Turn {
  calls: number;
  readonly over: Promise<void>;
}

let turn: Turn | undefined;

/**
 * Waits until a program may make a call without holding up other callers of this process. Tools that answer at once would otherwise let a
 * program with a thousand calls make them all before anything else is looked at.
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
