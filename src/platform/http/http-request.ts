/** A request ready to be sent: every value is in its place. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}
