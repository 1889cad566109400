import type { ToolError } from '../tool-error.ts';
import type { Tool } from '../tool.ts';

/** Returns the error with which a tool will certainly refuse these arguments, if any. Changes and sends nothing. */
export type SureRefusal = (
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => ToolError | undefined | Promise<ToolError | undefined>;

/** Marks the check of a tool. A symbol, so that no file or server can set it. */
const REFUSES: unique symbol = Symbol.for('pegboard.refuses');

/** Returns metadata for a tool that knows some refusals before it runs: no person is asked about such calls. */
export function refusingFirst(check: SureRefusal): Readonly<Record<symbol, SureRefusal>> {
  return { [REFUSES]: check };
}

/** Returns the check of a tool, if any. */
export function sureRefusalOf({ metadata }: Pick<Tool, 'metadata'>): SureRefusal | undefined {
  const check = REFUSES in metadata ? metadata[REFUSES] : undefined;
  // Only `refusingFirst` writes this key.
  return typeof check === 'function' ? (check as SureRefusal) : undefined;
}
