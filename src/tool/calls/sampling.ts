import type { QuestionOrigin } from './elicitation.ts';

/** The parameters of `sampling/createMessage`. */
export type SampleRequest = Readonly<Record<string, unknown>>;

/** The result of `sampling/createMessage`. */
export type SampleResult = Readonly<Record<string, unknown>>;

/** Lets the model of a caller write something for a server. */
export type Sample = (request: SampleRequest, call: QuestionOrigin) => SampleResult | Promise<SampleResult>;

/** A model that the client of a call lends. */
export interface LentModel {
  readonly sample: Sample;
  /** The same object for all calls whose requests reach this model. */
  readonly answerer: object;
}
