/** A request that a tool sends to another system. */
export interface OutgoingRequest {
  /** The receiver for people: `api.example.com`, `server github`. */
  readonly to: string;
  /** The name of its span: `GET`, `tools/call search`. */
  readonly name: string;
  /** The host of an http tool; `undefined` for a server that the board runs or names. */
  readonly host?: string | undefined;
  /** Returns attributes with the names of the conventions. Called only if spans are recorded. */
  readonly attributes: () => Readonly<Record<string, string | number>>;
}

/** A request in progress. */
export interface StartedRequest {
  /** The trace context to send (W3C), so that spans of the other system belong to this call. */
  readonly traceparent: string | undefined;
  /** Records its end: `ok`, a status, or an error code. */
  end(outcome: string, attributes?: Readonly<Record<string, string | number>>): void;
}

/** Records the requests of one call. */
export interface RequestNoter {
  /** Records the start of a request. Returns nothing when requests are not recorded. */
  startRequest(request: OutgoingRequest): StartedRequest | undefined;
}
