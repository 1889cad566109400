/** Turns texts into vectors of unit length whose dot product says how close their meanings are. */
export interface Embedder {
  /** Platform, model and whatever else changes the vectors: vectors of different ids are never compared. */
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
  /** Some models read a question otherwise than what answers it; a document unless told. */
  readonly as?: 'query' | 'document';
  readonly signal?: AbortSignal;
}
