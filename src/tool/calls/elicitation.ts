import type { JsonSchema } from '../json.ts';

/** A question from a tool, or the server behind it, to the person it is called for. */
export type ElicitRequest =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonSchema }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly elicitationId?: string };

/** The person's answer: filled in, declined, or dismissed. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/** The call that a question belongs to. */
export interface QuestionOrigin {
  readonly tool: string;
  readonly source: string;
  readonly signal: AbortSignal;
  /** Names the call permanently, even when it is repeated. For callers that combine several calls into one. */
  readonly key?: string | undefined;
}

/** Asks the person. */
export type Elicit = (request: ElicitRequest, call: QuestionOrigin) => ElicitResult | Promise<ElicitResult>;

/** A person who answers questions. */
export interface AskedPerson {
  readonly elicit: Elicit;
  /** True when pages can be opened for the person; forms can always be shown. */
  readonly opensPages: boolean;
  /** The same object for all calls whose questions reach this person. */
  readonly answerer: object;
}

/** The parameters of `sampling/createMessage`. */
export type SampleRequest = Readonly<Record<string, unknown>>;

/** The result of `sampling/createMessage`. */
export type SampleResult = Readonly<Record<string, unknown>>;

/** Lets the model of a caller write something for a server. */
export type Sample = (request: SampleRequest, call: QuestionOrigin) => SampleResult | Promise<SampleResult>;

/** A model that the client of a call offers to servers (MCP sampling). */
export interface LentModel {
  readonly sample: Sample;
  /** The same object for all calls whose requests reach this model. */
  readonly answerer: object;
}
