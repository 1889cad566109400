/** A request that a tool is about to send to another system. */
export interface OutgoingRequest {
  /** Whom it goes to, for people: `api.example.com`, `server github`. */
  readonly to: string;
  /** What its span is called: `GET`, `tools/call search`. */
  readonly name: string;
  /** The host of an http tool; `undefined` for a server that the board runs or names. */
  readonly host?: string | undefined;
  /** What its span says, by the names of the conventions; made only where spans are written. */
  readonly attributes: () => Readonly<Record<string, string | number>>;
}

/** A request that is under way. */
export interface StartedRequest {
  /** What the other system is told, so that its spans belong to this call (W3C trace context); nothing for most. */
  readonly traceparent: string | undefined;
  /** Notes how it ended: `ok`, a status, or the code of an error. */
  end(outcome: string, attributes?: Readonly<Record<string, string | number>>): void;
}

/** Notes the requests of one call. */
export interface RequestNoter {
  /** Notes that a request begins; gives nothing where nothing keeps that. */
  startRequest(request: OutgoingRequest): StartedRequest | undefined;
}
