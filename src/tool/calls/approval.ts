import type { AnsweredCall, CallApproval } from './call-runtime.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolError } from '../tool-error.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';

/** A call that needs a person's approval. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** The arguments that raise the risk of this call above that of its tool: `type=secret*`. */
  readonly raisedBy?: readonly string[] | undefined;
  /** The complete arguments for people, with hidden characters made visible. */
  readonly args: unknown;
  /** The original arguments. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The argument names that the tool's schema declares, in order. */
  readonly declared: readonly string[];
  /** The tool's own wording of the question, with `{argument}` placeholders. */
  readonly template?: string | undefined;
  /** The complete question with every argument. Beyond 20,000 characters, a note says what is left out. */
  readonly message: string;
  readonly callId: string;
  readonly context: ToolContext;
  /** Aborts when the call has ended and an answer no longer matters. */
  readonly signal: AbortSignal;
  /** The id of the stored question, if the board stores it. Any process of the board may answer it. */
  readonly approvalId?: string | undefined;
}

/** A denial with the person's reason. */
export interface Denial {
  /** The reason that the model reads. */
  readonly reason: string;
  /** The person, for the record. */
  readonly by?: string | undefined;
}

/** An approval with details. */
export interface Permission {
  readonly allow: true;
  /** The person, for the record. */
  readonly by?: string | undefined;
  /** Arguments to use instead of the requested ones. They are validated and judged again. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** A person's answer, or `'unavailable'` when no one can be asked. Every value except `true` and a `Permission` is a denial. */
export type ApprovalAnswer = boolean | 'unavailable' | Denial | Permission;

/** Asks a person to approve a call. */
export interface Approve {
  (request: ApprovalRequest): ApprovalAnswer | Promise<ApprovalAnswer>;
  /** @internal Asks about several calls in one question and returns an answer for each, in the same order. Default: call by call. */
  readonly together?:
    | ((requests: readonly ApprovalRequest[], signal: AbortSignal) => Promise<readonly ApprovalAnswer[]>)
    | undefined;
  /** @internal True for a function that answers without a person, as `--yes` does: no question is stored. */
  readonly isAutomatic?: boolean;
}

/** A policy's settings for a question. */
export interface ApprovalTerms {
  /** The action when no one can be asked directly. */
  readonly headless: 'deny' | 'approve' | 'wait';
  /** Milliseconds until the question expires. */
  readonly expires: number;
  /** The command or URL to notify of a waiting question. */
  readonly notify?: ApprovalNotify | undefined;
  /** Limits for questions that wait at once. */
  readonly mostWaiting?:
    | {
        /** Per caller. Default: 500. */
        readonly perCaller?: number | undefined;
        /** For all callers of the board. Default: 2,000. */
        readonly perBoard?: number | undefined;
      }
    | undefined;
}

/** A command that receives a waiting question on standard input, a URL that receives it by POST, or both. */
export interface ApprovalNotify {
  /** A program and its arguments. */
  readonly command?: readonly string[] | undefined;
  readonly url?: string | undefined;
  /** Includes the arguments of the call, without secrets. Default: false. */
  readonly args?: boolean | undefined;
}

/**
 * A question whose call does not wait for the answer, because the caller set `approval.defer`. The caller can ask several questions
 * together and repeats the call after the answer.
 */
export interface WaitingQuestion {
  readonly approvalId: string;
  readonly request: ApprovalRequest;
  /** Asks directly; `undefined` when no one can be asked here. */
  readonly approve: Approve | undefined;
  /**
   * Asks the person and, at the same time, waits for an answer from any process of the board. `'unavailable'` when no one can be asked and
   * the policy does not wait; the question is then closed.
   */
  wait(ask: Approve | undefined, signal: AbortSignal): Promise<'answered' | 'unavailable'>;
}

/** A guard's question for a person. */
export interface KeptQuestion {
  readonly tool: Tool;
  readonly request: ApprovalRequest;
  /** The exact arguments that were judged. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Asks directly; `undefined` when no one can be asked here. */
  readonly approve: Approve | undefined;
  /** Asks directly, in case the call waits for the answer. */
  readonly deferred?: Approve | undefined;
  /** Receives a question that the call does not wait for. */
  readonly onWait?: ((question: WaitingQuestion) => void) | undefined;
  readonly terms: ApprovalTerms;
  readonly options: CallApproval;
  /** Number of people asked about this call before. */
  readonly place: number;
  /** True when running the call twice has the same effect as running it once. */
  readonly isRepeatable: boolean;
  /** Adds to the call's record that a person is asked. Resolves once that is on disk. */
  readonly noteWaiting: (facts: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** The outcome of a question. */
export type KeptAnswer =
  | 'unavailable'
  | {
      readonly allow: true;
      readonly by: string;
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** The id of the question. */
      readonly id?: string | undefined;
      /** Consumes the approval before the call runs. Rejects when another call has done so. */
      readonly spend?: (() => Promise<void>) | undefined;
      readonly scope?: string | undefined;
    }
  | {
      readonly allow: false;
      readonly by: string;
      readonly reason?: string | undefined;
      readonly id?: string | undefined;
    };

/** The outcome of a question, for its call. */
export type ApprovalOutcome =
  | {
      readonly allow: true;
      /** The person's name; `undefined` when the policy allows calls without anyone to ask. */
      readonly by?: string | undefined;
    }
  | { readonly allow: false; readonly by?: string | undefined; readonly error: ToolError };

/** Asks the people of a board, and stores questions so that every process of it can answer them. */
export interface ApprovalKeeper {
  /** Asks directly; `undefined` when no one can be asked. */
  readonly approve: Approve | undefined;
  /** Throws a `ToolError` for a call that cannot continue now. */
  ask(question: KeptQuestion): Promise<KeptAnswer>;
}

/** Services of the pipeline for guards that ask people. */
export interface CallAsking {
  readonly options: CallApproval;
  /** Receives a question that the call does not wait for, so that its caller can ask it. */
  readonly onWait?: ((question: WaitingQuestion) => void) | undefined;
  readonly keeper: ApprovalKeeper | undefined;
  /** Removes secrets from a JSON-like value. */
  redact(value: unknown): unknown;
  /** True when the tool gets the same idempotency key each time the call is made. */
  readonly hasKey: boolean;
  /** Marks the start or end of waiting for a person. */
  enter(stage: 'guard' | 'person'): void;
  /** Adds a line to the call's record. Resolves once it is on disk. */
  note(type: 'waiting' | 'answered', facts: Readonly<Record<string, unknown>>): Promise<void>;
  /** True when a person has changed the arguments, which all guards judge next. */
  readonly isRevised: boolean;
  /** Runs the call with other arguments after they are validated and judged. */
  revise(args: Readonly<Record<string, unknown>>): void;
  /** Runs a step after all guards have agreed and before the tool runs. A rejection ends the call. */
  beforeRun(step: () => Promise<void>): void;
  /** Records who approved the call, for the meta of its result. */
  recordAnswer(approval: AnsweredCall): void;
}
