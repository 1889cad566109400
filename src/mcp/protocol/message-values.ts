import type { ToolExecutor } from '../../pipeline/tool-executor.ts';

/** Values of a message besides the arguments of its call. */
const ENVELOPE = 1_000;

/** The most values of a message to a board: the arguments of a call and what stands around them. Empty lists and objects count twice. */
export function messageValues({ maxValues }: Pick<ToolExecutor, 'maxValues'>): number {
  return 2 * maxValues + ENVELOPE;
}

/** Why a message with more values is not read. */
export function tooManyValues(values: number): string {
  const most = ((values - ENVELOPE) / 2).toLocaleString('en-US');
  return `The message holds too many values: the arguments of a call may hold ${most} (keys and items). Send fewer, or a path or URL to them.`;
}
