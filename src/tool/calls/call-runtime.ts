/**
 * Options of a call that needs a person's approval.
 *
 * With a `key`, an interrupted call can be repeated: the same key, tool, caller and arguments find the earlier question, and its answer
 * counts for one run. A consumed approval counts for no other call: repeating the call ends with `outcome_unknown`, because the tool may
 * have run, unless the tool is idempotent or only reads. Other arguments under the same key are another question.
 */
export interface CallApproval {
  /** Names the call permanently for its caller: `run-7/step-3/0`. */
  readonly key?: string | undefined;
  /**
   * Ends the call at once with `approval_required`, whose `approvalId` names the question. Repeat the call with the same key after the
   * answer. Needs a board. Default: the call waits.
   */
  readonly defer?: boolean | undefined;
  /**
   * True when the call continues work that started with the approval under this key, so that a consumed approval counts. Default: false.
   */
  readonly continues?: boolean | undefined;
  /** Milliseconds until the question expires. Default: as the policy says. */
  readonly expires?: number | undefined;
}

/** Details of the approval behind a result. */
export interface AnsweredCall {
  /** The id of the question, if the board stored it. */
  readonly id?: string | undefined;
  readonly by: string;
  /** Set when the person changed the arguments. */
  readonly edited?: true | undefined;
}

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
