import type { ToolContext } from '../tool-context.ts';
import type { ApprovalOutcome, ApprovalTerms } from './approval.ts';
import type { GuardRequest } from './call-bounds.ts';
import { clientOf } from './call-owner.ts';
import type {
  AskedPerson,
  Elicit,
  ElicitRequest,
  ElicitResult,
  LentModel,
  QuestionOrigin,
  Sample,
  SampleRequest,
  SampleResult,
} from './elicitation.ts';

/** The questions that a board asks, by kind. */
export interface Questions {
  /** Asks a person to approve a call. */
  approval: { readonly kind: 'approval'; readonly call: GuardRequest; readonly terms?: Partial<ApprovalTerms> };
  /** Asks the person that a call is made for. */
  question: { readonly kind: 'question'; readonly request: ElicitRequest; readonly origin: QuestionOrigin };
  /** Lets the model of the call's client write something. */
  sample: { readonly kind: 'sample'; readonly request: SampleRequest; readonly origin: QuestionOrigin };
  /** Asks a person to log in to another server. */
  login: {
    readonly kind: 'login';
    readonly url: string;
    /** Shows the page to the person behind a call. Default: to the person who logs the board itself in. */
    readonly page?: Omit<LoginPage, 'url'> & { readonly origin: QuestionOrigin };
  };
}

/** A page of the board on which a user logs in, as clients show it. */
export interface LoginPage {
  readonly url: string;
  readonly message: string;
  readonly elicitationId: string;
}

/** The answers, by kind of question. */
export interface Answers {
  approval: ApprovalOutcome;
  question: ElicitResult;
  sample: SampleResult;
  /** `address` is the one that the browser returned to after a login of the board itself. */
  login: Pick<ElicitResult, 'action'> & { readonly address?: string };
}

/** Asks a question. The board finds who answers from the context of the call. */
export type AskQuestion = <K extends keyof Questions>(
  question: Questions[K] & { readonly kind: K },
  context: ToolContext,
) => Promise<Answers[K]>;

/** Asks people, and models that clients offer (MCP sampling). */
export interface Ask extends AskQuestion {
  /** Finds who can answer questions of a call. */
  reach(context: ToolContext): Reach;
  /** The address that the browser returns to after a login of the board; `undefined` when no one can log in. */
  readonly redirectUri: string | undefined;
}

/** The people and models that can answer questions of a call. */
export interface Reach {
  readonly person: AskedPerson | undefined;
  readonly model: LentModel | undefined;
}

/** Returns the person for a function that asks: it shows forms and opens pages. */
export function toPerson(elicit: Elicit): AskedPerson {
  return { elicit, opensPages: true, answerer: elicit };
}

/** Finds who can answer in the context of a call: functions set by code, otherwise the call's client. */
export function reachIn(context: ToolContext): Reach {
  const [elicit, sample] = [context.getMeta('elicit'), context.getMeta('sample')];
  const { person, model } = clientOf(context);
  return {
    // Set by code under these names; nothing else uses the keys.
    person: typeof elicit === 'function' ? toPerson(elicit as Elicit) : person,
    model: typeof sample === 'function' ? { sample: sample as Sample, answerer: sample } : model,
  };
}
