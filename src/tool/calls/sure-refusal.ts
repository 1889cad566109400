import type { ToolError } from '../tool-error.ts';
import type { Tool } from '../tool.ts';

/** Gives the error with which a tool will surely refuse these arguments, or nothing. Changes and sends nothing. */
export type SureRefusal = (
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => ToolError | undefined | Promise<ToolError | undefined>;

/** Marks the check of a tool. A symbol, so that no file and no server can say it of itself. */
const REFUSES: unique symbol = Symbol.for('pegboard.refuses');

/** Part of a tool's metadata that knows some refusals before it runs: no person is asked about such calls. */
export function refusingFirst(check: SureRefusal): Readonly<Record<symbol, SureRefusal>> {
  return { [REFUSES]: check };
}

/** The check of a tool; `undefined` for one that has none. */
export function sureRefusalOf({ metadata }: Pick<Tool, 'metadata'>): SureRefusal | undefined {
  const check = REFUSES in metadata ? metadata[REFUSES] : undefined;
  // Only `refusingFirst` writes under this key.
  return typeof check === 'function' ? (check as SureRefusal) : undefined;
}
