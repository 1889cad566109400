import type { PlainServices } from './plain-answer.ts';
import { MAX_BODY } from '../http-endpoint.ts';
import type { HttpOptions } from '../http-options.ts';
import { respondError } from '../respond.ts';
import type { Visit } from '../session-endpoint.ts';
import { Cancellation } from '../../../../tool/calls/cancellation.ts';

/** Answers programs without MCP; the code is loaded with the first request. */
export class PlainEndpoint {
  readonly #services: PlainServices;
  readonly #running = new Set<Cancellation>();
  #maxBody: number;

  constructor(parts: Pick<PlainServices, 'server' | 'replica' | 'needsToken'>, options: HttpOptions) {
    this.#maxBody = options.maxBody ?? MAX_BODY;
    this.#services = {
      ...parts,
      maxBody: () => this.#maxBody,
      begin: () => {
        const cancellation = new Cancellation();
        this.#running.add(cancellation);
        return { cancellation, end: () => this.#running.delete(cancellation) };
      },
    };
  }

  update(options: HttpOptions): void {
    this.#maxBody = options.maxBody ?? MAX_BODY;
  }

  get running(): number {
    return this.#running.size;
  }

  handle(visit: Visit): void {
    // The body waits: nothing reads it yet.
    import('./respond-plainly.ts')
      .then(({ respondPlainly }) => respondPlainly(visit, this.#services))
      .catch(() => {
        if (visit.response.headersSent) visit.response.destroy();
        else respondError(visit.response, 500, { message: 'The request could not be taken.' });
      });
  }

  close(): void {
    for (const cancellation of this.#running)
      cancellation.abort(new Error('The server stopped before the call was done. It may have had effects.'));
  }
}
