import type { JsonSchema } from '../json.ts';
import type { ToolContext } from '../tool-context.ts';

/** What a tool, or the server behind it, wants to know from the person on whose behalf it is called. */
export type ElicitRequest =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonSchema }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly elicitationId?: string };

/** What the person said: filled in, refused, or sent away without an answer. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Asks the person. */
export type Elicit = (
  request: ElicitRequest,
  call: {
    readonly tool: string;
    readonly source: string;
    readonly signal: AbortSignal;
    /** Names the call, the same when it is made again; for callers that make one call of several. */
    readonly key?: string | undefined;
  },
) => ElicitResult | Promise<ElicitResult>;

/** Where a caller puts its `Elicit` in the metadata of a call's context. */
const ELICIT_KEY = 'elicit';

/** Who can be asked in this call, if there is a person. */
export function elicitorOf(context: ToolContext): Elicit | undefined {
  const elicit = context.getMeta(ELICIT_KEY);
  // Its caller put it there under this name; nothing else uses the key.
  return typeof elicit === 'function' ? (elicit as Elicit) : undefined;
}

const pageless = new WeakSet<Elicit>();

/** Notes that this way of asking shows forms and opens no pages. */
export function withoutPages(ask: Elicit): Elicit {
  pageless.add(ask);
  return ask;
}

/** Whether a way of asking can open a page for the person. */
export function opensPages(ask: Elicit): boolean {
  return !pageless.has(ask);
}

const answerers = new WeakMap<object, object>();

/** Notes that this way of asking reaches the same person as all others that were given the same object. */
export function withAnswerer<T extends object>(ask: T, answerer: object): T {
  answerers.set(ask, answerer);
  return ask;
}

/** Whom a way of asking reaches: the same object for the same person in front of the same client. */
export function answererOf(ask: object): object {
  return answerers.get(ask) ?? ask;
}
