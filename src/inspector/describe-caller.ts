import { readRunLink } from '../agent/loop/run-link.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { peerOf } from '../mcp/server/peer.ts';

/** Metadata of calls that are made here. */
export const INSPECTOR_CONTEXT = { caller: 'inspector' } as const;

/** Who made a call: `agent a → b`, `MCP client`, `inspector`, `code`. */
export function describeCaller(context: ToolContext): string {
  const trail = readRunLink(context)?.trail;
  if (trail !== undefined) return `agent ${trail.join(' → ')}`;
  if (peerOf(context) !== undefined) return 'MCP client';
  return context.getMeta('caller') === INSPECTOR_CONTEXT.caller ? 'inspector' : 'code';
}
