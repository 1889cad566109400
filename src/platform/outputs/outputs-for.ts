import { outputOwnerOf } from '../../tool/calls/call-owner.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { OutputAccess, OutputStore } from './output-store.ts';

/** The outputs that a call may make and read: its caller's own, made with the same rights, where callers are told apart. */
export function outputsFor(context: ToolContext, outputs: OutputStore): OutputAccess {
  const owner = outputOwnerOf(context);
  return owner === undefined ? outputs : outputs.of(owner);
}
