import type { AnsweredCall, CallApproval } from './call-approval.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolError } from '../tool-error.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';

/** The call that a person is asked about. */
export interface ApprovalRequest {
  /** The tool's name. */
  readonly tool: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** The arguments that give the call this risk, where the tool itself has less: `type=secret*`. */
  readonly raisedBy?: readonly string[] | undefined;
  /** The arguments as a person reads them: whole, hidden characters spelt out. */
  readonly args: unknown;
  /** The arguments as they are. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The names of arguments that the tool's schema declares, in its order. */
  readonly declared: readonly string[];
  /** The tool's own words for the question, with `{argument}` where a value belongs. */
  readonly template?: string | undefined;
  /** The whole question: every argument, or beyond 20,000 characters a clear note of what is left out. */
  readonly message: string;
  readonly callId: string;
  readonly context: ToolContext;
  /** Aborts when the call is over and an answer no longer matters. */
  readonly signal: AbortSignal;
  /** The id under which the board keeps the question, where it does: any process of the board may answer it. */
  readonly approvalId?: string | undefined;
}

/** A no with its reason in the person's own words. */
export interface Denial {
  /** What the model gets to read. */
  readonly reason: string;
  /** Who said it, for the record. */
  readonly by?: string | undefined;
}

/** A yes that says more than `true`. */
export interface Permission {
  readonly allow: true;
  /** Who said it, for the record. */
  readonly by?: string | undefined;
  /** The arguments to run with in place of those that were asked about. They are validated and judged as those were. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** The answer of a person, or `'unavailable'` where no one can be asked. Every value but `true` and a `Permission` is a no. */
export type ApprovalAnswer = boolean | 'unavailable' | Denial | Permission;

/** Asks a person whether a call may run. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** How a policy wants a question to be asked. */
export interface ApprovalTerms {
  /** What happens when no one can be asked directly. */
  readonly headless: 'deny' | 'approve' | 'wait';
  /** Milliseconds for which a question may be answered. */
  readonly expires: number;
  /** Who is told that something waits. */
  readonly notify?: ApprovalNotify | undefined;
  readonly mostWaiting?: MostWaiting | undefined;
}

/** How many questions may wait at once. */
interface MostWaiting {
  /** For one caller. Default: 500. */
  readonly perCaller?: number | undefined;
  /** For all callers of the board. Default: 2,000. */
  readonly perBoard?: number | undefined;
}

/** Who is told that a question waits: a command that reads it on its standard input, an address that gets it by POST, or both. */
export interface ApprovalNotify {
  /** A program and its arguments. */
  readonly command?: readonly string[] | undefined;
  readonly url?: string | undefined;
  /** Tells the arguments of the call too, without secrets. Default: false. */
  readonly args?: boolean | undefined;
}

/**
 * A question whose call does not wait for the answer, as the caller asked by `approval.defer`. The caller can have it asked together
 * with others, and makes the call again once it is answered.
 */
export interface WaitingQuestion {
  readonly approvalId: string;
  readonly request: ApprovalRequest;
  /** Asks directly; `undefined` where no one can be asked here. */
  readonly approve: Approve | undefined;
  /**
   * Waits for the answer of any process of the board, and has `ask` ask meanwhile. `'unavailable'` where no one can be asked and the
   * policy does not want to wait: the question is over then.
   */
  wait(ask: Approve | undefined, signal: AbortSignal): Promise<'answered' | 'unavailable'>;
}

/** A question that a guard has for a person. */
export interface KeptQuestion {
  readonly tool: Tool;
  readonly request: ApprovalRequest;
  /** The exact arguments that were judged. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Asks directly; `undefined` where no one can be asked here. */
  readonly approve: Approve | undefined;
  /** Who could be asked directly, where the call does not wait for that. */
  readonly deferred?: Approve | undefined;
  /** Hears of a question that the call does not wait for. */
  readonly onWait?: ((question: WaitingQuestion) => void) | undefined;
  readonly terms: ApprovalTerms;
  readonly options: CallApproval;
  /** How many others were asked about this call before. */
  readonly place: number;
  /** Whether running the call twice does no more than running it once. */
  readonly isRepeatable: boolean;
  /** Notes in the call's record that a person is asked; resolves once that is on disk. */
  readonly noteWaiting: (facts: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** What came of a question. */
export type KeptAnswer =
  | 'unavailable'
  | {
      readonly allow: true;
      readonly by: string;
      readonly args?: Readonly<Record<string, unknown>> | undefined;
      /** The id of the question. */
      readonly id?: string | undefined;
      /** Uses up the yes before the call runs; rejects when another call has. */
      readonly spend?: (() => Promise<void>) | undefined;
      readonly scope?: string | undefined;
    }
  | {
      readonly allow: false;
      readonly by: string;
      readonly reason?: string | undefined;
      readonly id?: string | undefined;
    };

/** The end of a question, for the call that it was about. */
export type ApprovalOutcome =
  | {
      readonly allow: true;
      /** The person's name; `undefined` where the policy lets calls run that no one can be asked about. */
      readonly by?: string | undefined;
    }
  | { readonly allow: false; readonly by?: string | undefined; readonly error: ToolError };

/** Asks the people of a board, and keeps questions where every process of it can answer them. */
export interface ApprovalKeeper {
  /** Asks whoever the board asks directly; `undefined` where there is no one. */
  readonly approve: Approve | undefined;
  /** Throws a `ToolError` for a call that cannot go on now. */
  ask(question: KeptQuestion): Promise<KeptAnswer>;
}

/** What the pipeline lends guards that ask people. */
export interface CallAsking {
  readonly options: CallApproval;
  /** Hears of a question that the call does not wait for: its caller has it asked. */
  readonly onWait?: ((question: WaitingQuestion) => void) | undefined;
  readonly keeper: ApprovalKeeper | undefined;
  /** Removes secrets from a JSON-like value. */
  redact(value: unknown): unknown;
  /** Whether the tool gets the same idempotency key each time the call is made. */
  readonly hasKey: boolean;
  /** Notes that the wait for a person begins or ends. */
  enter(stage: 'guard' | 'person'): void;
  /** Adds a line to the call's record; resolves once it is on disk. */
  note(type: 'waiting' | 'answered', facts: Readonly<Record<string, unknown>>): Promise<void>;
  /** Whether a person has changed the arguments: all guards judge those next. */
  readonly isRevised: boolean;
  /** Has the call run with other arguments, once they are validated and judged. */
  revise(args: Readonly<Record<string, unknown>>): void;
  /** Does something when all guards have agreed, before the tool runs. A rejection ends the call. */
  beforeRun(step: () => Promise<void>): void;
  /** Records who approved the call, for the meta of its result. */
  recordAnswer(approval: AnsweredCall): void;
}
