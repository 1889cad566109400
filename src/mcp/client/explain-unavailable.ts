import { cleanMessage } from '../../pipeline/clean-message.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { readLastWords } from './read-last-words.ts';
import { describeAddress, type ServerSettings } from './server-settings.ts';
import type { TransportFailure } from './transports/transport.ts';

/** The error for a call whose server cannot be reached, with the server's own last words. */
export function explainUnavailable(
  { name, address }: Pick<ServerSettings, 'name' | 'address'>,
  failure: TransportFailure,
  { errors = [], advice }: { readonly errors?: readonly string[]; readonly advice?: string | undefined } = {},
): ToolError {
  const reason = failure.message.replace(/\.$/, '');
  const { lines, hint } = readLastWords(address, { said: errors, reason });
  const said =
    lines.length === 0 ? '' : `\nIts last lines on standard error:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  const what = `The MCP server "${name}" (${describeAddress(address)}) is not available: ${reason}.`;
  return new ToolError({
    code: failure.kind === 'unauthorized' ? 'permission_denied' : 'upstream_unavailable',
    loginUrl: failure.loginUrl,
    message: cleanMessage([what, advice, hint].filter((part) => part !== undefined).join(' ') + said),
  });
}
