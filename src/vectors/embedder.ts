import type { HttpClient } from '../platform/http/http-client.ts';
import type { HttpClock } from '../platform/http/http-clock.ts';

/** Turns texts into vectors of unit length whose dot product says how close their meanings are. */
export interface Embedder {
  /** Platform, model and all other settings that change the vectors. Vectors of different ids are never compared. */
  readonly id: string;
  /** How many numbers a vector has; unknown to some platforms before the first answer. */
  readonly dimension: number | undefined;
  /** One vector for each text, in order. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Ends workers and connections. */
  close(): Promise<void>;
}

/** How texts are embedded. */
export interface EmbedOptions {
  /** Some models embed a question differently from a text that answers it. Default: `document`. */
  readonly as?: 'query' | 'document';
  /** Stops the work. */
  readonly signal?: AbortSignal;
}

/** What an embedder may use of the program that makes it. */
export interface EmbedderResources {
  /** The folder in which vectors are kept, so that no text is embedded twice; without it they are kept in memory. */
  readonly data?: string | undefined;
  /** A client that may reach these hosts; without it the embedder makes its own and closes it. */
  httpClient?(allowHosts: readonly string[]): HttpClient;
  readonly clock?: HttpClock | undefined;
}
