import { readRunLink } from '../agent/loop/run-link.ts';
import { withClient } from '../tool/call-owner.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { peerOf } from '../mcp/server/peer.ts';

const INSPECTOR = 'inspector';

/** Metadata of calls that are made here, for the user of the board. */
export const INSPECTOR_CONTEXT = withClient({ caller: INSPECTOR }, { user: '', session: INSPECTOR });

/** Who made a call: `agent a → b`, `MCP client`, `inspector`, `code`. */
export function describeCaller(context: ToolContext): string {
  const trail = readRunLink(context)?.trail;
  if (trail !== undefined) return `agent ${trail.join(' → ')}`;
  if (peerOf(context) !== undefined) return 'MCP client';
  return context.getMeta('caller') === INSPECTOR ? INSPECTOR : 'code';
}
