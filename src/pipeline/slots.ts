import type { ToolError } from '../tool/tool-error.ts';

/** At most so many at once; the rest wait in line. */
export class Slots {
  readonly #limit: number;
  #taken = 0;
  readonly #line = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a slot now, or gives a promise of one. `leave` gives up waiting. */
  take(): { readonly granted: Promise<void> | undefined; leave(): void } {
    if (this.#taken < this.#limit) {
      this.#taken++;
      return { granted: undefined, leave: () => this.#release() };
    }
    let enter: () => void = () => {};
    let isIn = false;
    const granted = new Promise<void>((resolve) => {
      enter = () => {
        isIn = true;
        resolve();
      };
    });
    this.#line.add(enter);
    return {
      granted,
      leave: () => {
        if (isIn) this.#release();
        else this.#line.delete(enter);
      },
    };
  }

  #release(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    // The slot passes straight on, so a newcomer cannot overtake the line.
    this.#line.delete(next);
    next();
  }
}

/** Takes a slot of each, in order, and gives the function that frees them all. */
export async function takeAll(
  slots: readonly Slots[],
  race: (wait: Promise<void>) => Promise<void>,
): Promise<() => void> {
  const held: (() => void)[] = [];
  const free = (): void => {
    for (const leave of held.splice(0)) leave();
  };
  try {
    for (const slot of slots) {
      const ticket = slot.take();
      held.push(() => ticket.leave());
      if (ticket.granted !== undefined) await race(ticket.granted);
    }
  } catch (error) {
    free();
    // `race` rejects with the error that ended the call.
    throw error as ToolError;
  }
  return free;
}
