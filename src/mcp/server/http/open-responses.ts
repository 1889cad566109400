import type { ServerResponse } from 'node:http';

/** The responses of a server that have not reached their clients yet. */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>();
  #whenDone: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#whenDone?.();
    });
  }

  /** Settles when there is none left. */
  async done(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#whenDone = resolve));
  }
}
