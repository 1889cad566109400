import type { ToolContext } from '../tool-context.ts';
import type { ApprovalOutcome, ApprovalTerms } from './approval.ts';
import type { GuardRequest } from './call-bounds.ts';
import { clientOf } from './call-owner.ts';
import type { AskedPerson, Elicit, ElicitRequest, ElicitResult, QuestionOrigin } from './elicitation.ts';
import type { LentModel, Sample, SampleRequest, SampleResult } from './sampling.ts';

/** The questions that a board asks, by kind. */
export interface Questions {
  /** Asks whether a call may run. */
  approval: { readonly kind: 'approval'; readonly call: GuardRequest; readonly terms?: Partial<ApprovalTerms> };
  /** Asks the person that a call is made for. */
  question: { readonly kind: 'question'; readonly request: ElicitRequest; readonly origin: QuestionOrigin };
  /** Has the model write something that the client of a call lends. */
  sample: { readonly kind: 'sample'; readonly request: SampleRequest; readonly origin: QuestionOrigin };
  /** Has a person log in at another server. */
  login: {
    readonly kind: 'login';
    readonly url: string;
    /** Shows the page to the person that a call is made for. Default: to whoever logs the board itself in. */
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
  /** `address` is the one that the browser came back to, where the board itself was logged in. */
  login: Pick<ElicitResult, 'action'> & { readonly address?: string };
}

/** Asks a question. The board finds who answers from the context of the call. */
export type AskQuestion = <K extends keyof Questions>(
  question: Questions[K] & { readonly kind: K },
  context: ToolContext,
) => Promise<Answers[K]>;

/** Asks people, and models that clients lend. */
export interface Ask extends AskQuestion {
  /** Finds who can answer questions of a call. */
  reach(context: ToolContext): Reach;
  /** The address to which the browser comes back that logs the board in; `undefined` where no one can. */
  readonly redirectUri: string | undefined;
}

/** Who can answer questions of a call. */
export interface Reach {
  readonly person: AskedPerson | undefined;
  readonly model: LentModel | undefined;
}

/** Returns the person for a function that asks: it shows forms and opens pages. */
export function toPerson(elicit: Elicit): AskedPerson {
  return { elicit, opensPages: true, answerer: elicit };
}

/** Finds who can answer in the context of a call: functions that code has put there, otherwise the call's client. */
export function reachIn(context: ToolContext): Reach {
  const [elicit, sample] = [context.getMeta('elicit'), context.getMeta('sample')];
  const { person, model } = clientOf(context);
  return {
    // Code put them there under these names; nothing else uses the keys.
    person: typeof elicit === 'function' ? toPerson(elicit as Elicit) : person,
    model: typeof sample === 'function' ? { sample: sample as Sample, answerer: sample } : model,
  };
}
