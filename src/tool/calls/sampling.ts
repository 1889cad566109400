import type { ToolContext } from '../tool-context.ts';

/** The parameters of `sampling/createMessage`. */
export type SampleRequest = Readonly<Record<string, unknown>>;

/** The result of `sampling/createMessage`. */
export type SampleResult = Readonly<Record<string, unknown>>;

/** Lets the model of a caller write something for a server. */
export type Sample = (
  request: SampleRequest,
  call: {
    readonly tool: string;
    readonly source: string;
    readonly signal: AbortSignal;
    /** Names the call, the same when it is repeated; for callers that make one call of several. */
    readonly key?: string | undefined;
  },
) => SampleResult | Promise<SampleResult>;

/** The metadata key for a caller's `Sample`. */
const SAMPLE_KEY = 'sample';

/** Returns the function that samples the caller's model, if any. */
export function samplerOf(context: ToolContext): Sample | undefined {
  const sample = context.getMeta(SAMPLE_KEY);
  // Only callers use this key, for this function.
  return typeof sample === 'function' ? (sample as Sample) : undefined;
}
