import { outputOwnerOf } from '../../tool/calls/call-owner.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { OutputAccess, OutputStore } from './output-store.ts';

/** Returns the outputs that a call may create and read: its caller's own ones, if the board distinguishes callers. */
export function outputsFor(context: ToolContext, outputs: OutputStore): OutputAccess {
  const owner = outputOwnerOf(context);
  return owner === undefined ? outputs : outputs.of(owner);
}
