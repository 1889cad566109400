import type { HttpClient } from '../platform/http/http-client.ts';
import type { HttpClock } from '../platform/http/http-clock.ts';

/** What whoever makes an embedder lends it. */
export interface EmbedderHost {
  /** The folder in which vectors are kept, so that no text is embedded twice; without it they are kept in memory. */
  readonly data?: string | undefined;
  /** A client that may reach these hosts; without it the embedder makes its own and closes it. */
  httpClient?(allowHosts: readonly string[]): HttpClient;
  readonly clock?: HttpClock | undefined;
}
