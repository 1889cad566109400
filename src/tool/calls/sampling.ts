import type { ToolContext } from '../tool-context.ts';

/** What a server wants a model to write: the parameters of `sampling/createMessage`. */
export type SampleRequest = Readonly<Record<string, unknown>>;

/** What the model wrote: the result of `sampling/createMessage`. */
export type SampleResult = Readonly<Record<string, unknown>>;

/** Has the model of a caller write something for a server. */
export type Sample = (
  request: SampleRequest,
  call: {
    readonly tool: string;
    readonly source: string;
    readonly signal: AbortSignal;
    /** Names the call, the same when it is made again; for callers that make one call of several. */
    readonly key?: string | undefined;
  },
) => SampleResult | Promise<SampleResult>;

/** Where a caller puts its `Sample` in the metadata of a call's context. */
const SAMPLE_KEY = 'sample';

/** Who lends a model to this call, if there is one. */
export function samplerOf(context: ToolContext): Sample | undefined {
  const sample = context.getMeta(SAMPLE_KEY);
  // Its caller put it there under this name; nothing else uses the key.
  return typeof sample === 'function' ? (sample as Sample) : undefined;
}
