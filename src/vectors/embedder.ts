import type { HttpClient } from '../platform/http/http-client.ts';
import type { HttpClock } from '../platform/http/retry-request.ts';

/** Turns texts into unit vectors whose dot product measures how close their meanings are. */
export interface Embedder {
  /** Platform, model and all other settings that affect the vectors. Vectors with different ids are never compared. */
  readonly id: string;
  /** Numbers in a vector; some platforms know it only after the first answer. */
  readonly dimension: number | undefined;
  /** Returns one vector for each text, in order. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Ends workers and connections. */
  close(): Promise<void>;
}

/** Options of one call. */
export interface EmbedOptions {
  /** Some models embed queries and documents differently. Default: `document`. */
  readonly as?: 'query' | 'document';
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** Resources that the host program provides to an embedder. */
export interface EmbedderResources {
  /** The folder of the vector cache, so that no text is embedded twice. Default: the cache is in memory. */
  readonly data?: string | undefined;
  /** Returns a client that may reach these hosts. Default: the embedder creates its own and closes it. */
  httpClient?(allowHosts: readonly string[]): HttpClient;
  readonly clock?: HttpClock | undefined;
}

/** Groups texts, in order, into batches of at most this many texts and characters; a longer text is a batch of its own. */
export function toBatches(
  texts: readonly string[],
  most: { readonly texts: number; readonly characters: number },
): string[][] {
  const batches: string[][] = [];
  let characters = Infinity;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= most.texts || characters + text.length > most.characters) {
      batches.push([text]);
      characters = text.length;
    } else {
      last.push(text);
      characters += text.length;
    }
  }
  return batches;
}
