type EventMap = Record<string, unknown>;

type Listener<T> = (payload: T) => unknown;

/** Calls the listeners of events. A listener that throws or rejects is reported and does not affect others. */
export class Emitter<Events extends EventMap> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void = warn) {
    this.#report = report;
  }

  /** Adds a listener and returns a function that removes it. */
  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    let set = this.#listeners.get(event);
    if (set === undefined) this.#listeners.set(event, (set = new Set()));
    set.add(listener);
    return () => this.off(event, listener);
  }

  off<E extends keyof Events>(event: E, listener: Listener<Events[E]>): void {
    const set = this.#listeners.get(event);
    set?.delete(listener);
    if (set?.size === 0) this.#listeners.delete(event);
  }

  /** Returns true when an event has listeners, so that a hot path can skip building the payload. */
  has(event: keyof Events): boolean {
    return this.#listeners.size > 0 && this.#listeners.has(event);
  }

  emit<E extends keyof Events>(event: E, payload: Events[E]): void {
    const set = this.#listeners.get(event);
    if (set === undefined) return;
    // Copied, because listeners may add and remove listeners. `on` stored each under its own event.
    for (const listener of Array.from(set)) this.notify(listener as Listener<Events[E]>, payload);
  }

  /** Calls one listener; errors are reported, not thrown. */
  notify<T>(listener: Listener<T> | undefined, payload: T): void {
    try {
      const outcome = listener?.(payload);
      if (outcome instanceof Promise) outcome.catch(this.#report);
    } catch (error) {
      this.#report(error);
    }
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'PegboardListenerWarning');
}
