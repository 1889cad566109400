import type { JsonSchema } from '../json.ts';
import type { ToolContext } from '../tool-context.ts';

/** A question from a tool, or the server behind it, to the person it is called for. */
export type ElicitRequest =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonSchema }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly elicitationId?: string };

/** The person's answer: filled in, declined, or dismissed. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

export type Elicit = (
  request: ElicitRequest,
  call: {
    readonly tool: string;
    readonly source: string;
    readonly signal: AbortSignal;
    /** Names the call, the same when it is repeated; for callers that make one call of several. */
    readonly key?: string | undefined;
  },
) => ElicitResult | Promise<ElicitResult>;

/** The metadata key for a caller's `Elicit`. */
const ELICIT_KEY = 'elicit';

/** Returns the function that asks the person behind this call, if any. */
export function elicitorOf(context: ToolContext): Elicit | undefined {
  const elicit = context.getMeta(ELICIT_KEY);
  // Only callers use this key, for this function.
  return typeof elicit === 'function' ? (elicit as Elicit) : undefined;
}

const pageless = new WeakSet<Elicit>();

/** Marks a way of asking that shows forms but opens no pages. */
export function withoutPages(ask: Elicit): Elicit {
  pageless.add(ask);
  return ask;
}

/** Returns true when a way of asking can open a page for the person. */
export function opensPages(ask: Elicit): boolean {
  return !pageless.has(ask);
}

const answerers = new WeakMap<object, object>();

/** Marks a way of asking as reaching the same person as all others with the same object. */
export function withAnswerer<T extends object>(ask: T, answerer: object): T {
  answerers.set(ask, answerer);
  return ask;
}

/** Returns an object that identifies the person a way of asking reaches. */
export function answererOf(ask: object): object {
  return answerers.get(ask) ?? ask;
}
