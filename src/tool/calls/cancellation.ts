/** An `AbortSignal`, or a `Cancellation`. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** The reason, once aborted. */
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Cancels work, like an `AbortController`. Every call has two and hardly any uses them: a signal with a listener takes 850 ns, more than a
 * whole plain call, and this takes 30 ns.
 */
export class Cancellation implements CancelSignal {
  #isAborted = false;
  #reason: unknown = undefined;
  #listeners: (() => void)[] | undefined = undefined;
  #controller: AbortController | undefined = undefined;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Calls all listeners once. */
  abort(reason: Error): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
    this.#controller?.abort(reason);
  }

  addEventListener(_type: 'abort', listener: () => void, _options: { readonly once: true }): void {
    if (this.#isAborted) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listeners?.length === 1 && this.#listeners[0] === listener) this.#listeners = undefined;
    else this.#listeners = this.#listeners?.filter((other) => other !== listener);
  }

  /** Returns an `AbortSignal` that aborts with it, created on first use. */
  toSignal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }
}
