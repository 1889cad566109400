/** The number of slots. */
interface FairSlotsOptions {
  readonly limit: number;
  /** Those that may wait for a slot. Default: any number. */
  readonly queue?: number | undefined;
}

/** A slot that was taken, or waits to be. */
export interface Ticket {
  /** Resolves once the slot is there; `undefined` when it is there at once. */
  readonly granted: Promise<void> | undefined;
  /** Frees the slot, or gives up waiting. */
  leave(): void;
}

interface Caller {
  held: number;
  readonly line: Set<() => void>;
}

/**
 * Slots that callers share. A caller takes a slot while it holds fewer than are free: alone it gets half of them, and the next ones find some left,
 * however long the first keeps its own. The user of the board, whose name is empty, may take them all. Those that find none wait in a line of
 * their caller, and slots go to the callers in turn.
 */
export class FairSlots {
  #limit: number;
  #queue: number;
  #taken = 0;
  #waiting = 0;
  /** Those that hold a slot or wait, in the order of their turns. */
  readonly #callers = new Map<string, Caller>();

  constructor({ limit, queue = Infinity }: FairSlotsOptions) {
    this.#limit = limit;
    this.#queue = queue;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Changes the numbers; slots that are taken stay so. */
  configure({ limit, queue = Infinity }: FairSlotsOptions): void {
    this.#limit = limit;
    this.#queue = queue;
    this.#fill();
  }

  /** Takes a slot, or a place in the line of a caller; `undefined` when too many wait, for this caller or all together. */
  take(name: string): Ticket | undefined {
    const caller = this.#callers.get(name) ?? { held: 0, line: new Set() };
    // No one who waits could have the slot: each free one was offered to them all.
    if (caller.line.size === 0 && this.#mayTake(name, caller)) {
      this.#callers.set(name, caller);
      this.#taken++;
      caller.held++;
      return { granted: undefined, leave: this.#leaveOnce(name, caller) };
    }
    const left = this.#queue - this.#waiting;
    if (left <= 0 || (name !== '' && caller.line.size >= left)) return undefined;
    this.#callers.set(name, caller);
    const { promise, resolve } = Promise.withResolvers<void>();
    let leave: (() => void) | undefined;
    const enter = (): void => {
      leave = this.#leaveOnce(name, caller);
      resolve();
    };
    caller.line.add(enter);
    this.#waiting++;
    return {
      granted: promise,
      leave: () => {
        if (leave !== undefined) return leave();
        if (!caller.line.delete(enter)) return;
        this.#waiting--;
        this.#forget(name, caller);
      },
    };
  }

  #mayTake(name: string, { held }: Caller): boolean {
    const free = this.#limit - this.#taken;
    return name === '' ? free > 0 : held < free;
  }

  #leaveOnce(name: string, caller: Caller): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#taken--;
      caller.held--;
      this.#forget(name, caller);
      this.#fill();
    };
  }

  #forget(name: string, { held, line }: Caller): void {
    if (held === 0 && line.size === 0) this.#callers.delete(name);
  }

  /** Gives free slots to those that wait, a caller at a time. */
  #fill(): void {
    let isGiven = this.#waiting > 0;
    while (isGiven) {
      isGiven = false;
      for (const [name, caller] of Array.from(this.#callers)) {
        const [next] = caller.line;
        if (next === undefined || !this.#mayTake(name, caller)) continue;
        // To the end of the turns.
        this.#callers.delete(name);
        this.#callers.set(name, caller);
        caller.line.delete(next);
        this.#waiting--;
        this.#taken++;
        caller.held++;
        next();
        isGiven = this.#waiting > 0;
      }
    }
  }
}
