import { ToolError } from '../tool/tool-error.ts';
import type { EntryFault } from './kind.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/** Converts an error that a kind threw for an entry to a fault of that entry. */
export function toThrownFault(thrown: unknown): EntryFault {
  const text = messageOf(thrown);
  return { path: [], message: thrown instanceof ToolError ? text : `cannot be loaded: ${text}` };
}
