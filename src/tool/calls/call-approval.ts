/**
 * What a caller wants of a call that needs a person's yes.
 *
 * With a `key`, a call that was interrupted can be made again: the same key, tool, caller and arguments find the question that
 * was asked, and its answer counts for one run. A yes that a call has used counts for no other: made again, such a call ends with
 * `outcome_unknown`, as the tool may have run, unless the tool is marked as idempotent or only reads. Other arguments under the same
 * key are another question.
 */
export interface CallApproval {
  /** Names the call for its caller, for all time: `run-7/step-3/0`. */
  readonly key?: string | undefined;
  /**
   * Does not wait for the answer: the call ends at once with `approval_required`, whose `approvalId` names the question. Call
   * again with the same key once it is answered. Needs a board. Default: the call waits.
   */
  readonly defer?: boolean | undefined;
  /** Whether the call goes on with work that began with the yes under this key: then a yes that was used counts. Default: false. */
  readonly continues?: boolean | undefined;
  /** Milliseconds for which the question may be answered. Default: as the policy says. */
  readonly expires?: number | undefined;
}

/** What a result tells of the yes behind it. */
export interface AnsweredCall {
  /** The id of the question, where the board kept it. */
  readonly id?: string | undefined;
  readonly by: string;
  /** Whether the person changed the arguments. */
  readonly edited?: true | undefined;
}
