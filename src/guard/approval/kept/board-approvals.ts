import type { ApprovalRecord, ApprovalScope, ApprovalStatus } from './approval-record.ts';

/** Selects questions. */
export interface ApprovalFilter {
  /** Default: those that wait. */
  readonly status?: ApprovalStatus | 'all' | undefined;
  /** Only questions about calls for this user; empty for the user of the board. */
  readonly caller?: string | undefined;
}

/** An answer to a question. */
export type ApprovalReply =
  | {
      readonly allow: true;
      /** The scope of the approval. `arguments` and `tool` write a line into the policy. Default: `once`. */
      readonly scope?: ApprovalScope | undefined;
      /** Arguments to run with in place of those that were asked about. Only for a yes for `once`. */
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** The person who answers. Default: `code`. */
      readonly by?: string | undefined;
    }
  | {
      readonly allow: false;
      /** The reason for the model. */
      readonly reason?: string | undefined;
      readonly by?: string | undefined;
    };

/** The questions of a board about its calls, asked by any of its processes. */
export interface BoardApprovals {
  /** Questions, the oldest first. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>;
  /** A question by its id, or `undefined`. */
  get(id: string): Promise<ApprovalRecord | undefined>;
  /**
   * Answers a question. The first answer counts: a second one rejects with `invalid_arguments` and says what was answered, by whom.
   * Arguments that do not fit the tool reject too, and the question waits on.
   */
  answer(id: string, reply: ApprovalReply): Promise<ApprovalRecord>;
  /** The line that an answer for good would write into the policy, to be shown first. Rejects where there is no file to write to. */
  policyLine(id: string, scope: 'arguments' | 'tool'): Promise<PolicyLine>;
  /** Takes a question back whose call will not be made again. */
  withdraw(id: string): Promise<ApprovalRecord | undefined>;
  /** Questions that wait now, then all as they come and as they change, until the signal aborts. */
  follow(signal?: AbortSignal): AsyncGenerator<ApprovalRecord, void>;
}

/** A line for `policy.approved`, not written yet. */
export interface PolicyLine {
  /** The files that get it, as messages name them. */
  readonly files: readonly string[];
  /** The line as it will stand there. */
  readonly text: string;
}
