interface FairSlotsOptions {
  readonly limit: number;
  /** Maximum number of waiting requests. Default: unlimited. */
  readonly queue?: number | undefined;
}

/** A slot that is held or waited for. */
export interface Ticket {
  /** Resolves when the slot is granted; `undefined` when it was granted at once. */
  readonly granted: Promise<void> | undefined;
  /** Frees the slot, or stops waiting for it. */
  leave(): void;
}

interface Caller {
  held: number;
  readonly line: Set<() => void>;
}

/**
 * Slots shared by several callers. A caller may hold at most as many slots as are free: a single caller gets half of
 * them, so that others find some left. The user of the board, whose name is empty, may take all of them. Requests that
 * find no slot wait in one queue per caller; free slots go to the callers in turn.
 */
export class FairSlots {
  #limit: number;
  #queue: number;
  #taken = 0;
  #waiting = 0;
  /** Callers that hold a slot or wait for one, in turn order. */
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

  /** Changes the limits. Slots that are already taken stay taken. */
  configure({ limit, queue = Infinity }: FairSlotsOptions): void {
    this.#limit = limit;
    this.#queue = queue;
    this.#fill();
  }

  /**
   * Takes a slot or a place in the caller's queue. Returns `undefined` when the queue is full, for this caller or
   * overall.
   */
  take(name: string): Ticket | undefined {
    const caller = this.#callers.get(name) ?? { held: 0, line: new Set() };
    // No waiting caller could use this slot: every free slot was already offered to all of them.
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

  /** Gives free slots to waiting callers, one caller at a time. */
  #fill(): void {
    let isGiven = this.#waiting > 0;
    while (isGiven) {
      isGiven = false;
      for (const [name, caller] of Array.from(this.#callers)) {
        const [next] = caller.line;
        if (next === undefined || !this.#mayTake(name, caller)) continue;
        // Moves the caller to the end of the turn order.
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
