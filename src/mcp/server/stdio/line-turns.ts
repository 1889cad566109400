/** The input of a client, which waits while there is any reason for it. */
interface Turned {
  /** Lines that are handled in one turn. */
  readonly atOnce: number;
  handle(line: string): void;
  /** Reads on, or no further. */
  read(isReading: boolean): void;
}

/** Handles the lines of one client in several turns, so that other clients of this process get theirs in between. */
export class LineTurns {
  readonly #options: Turned;
  #late: string[] = [];
  #handled = 0;
  #isFull = false;

  constructor(options: Turned) {
    this.#options = options;
  }

  /** Begins a turn: bytes have arrived. */
  begin(): void {
    if (this.#late.length === 0) this.#handled = 0;
  }

  push(line: string): void {
    if (this.#late.length === 0 && this.#handled < this.#options.atOnce) {
      this.#handled++;
      return this.#options.handle(line);
    }
    if (this.#late.push(line) > 1) return;
    this.#update();
    setImmediate(() => this.#continue());
  }

  /** Stops reading from a client that does not read. */
  hold(isFull: boolean): void {
    this.#isFull = isFull;
    this.#update();
  }

  #continue(): void {
    const lines = this.#late.splice(0, this.#options.atOnce);
    for (const line of lines) this.#options.handle(line);
    if (this.#late.length > 0) setImmediate(() => this.#continue());
    else this.#update();
  }

  #update(): void {
    this.#options.read(!this.#isFull && this.#late.length === 0);
  }
}
