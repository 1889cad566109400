import { ToolError } from '../../tool/tool-error.ts';
import { cleanMessage } from '../../pipeline/clean-message.ts';
import { describeAddress, type ServerSettings } from './server-settings.ts';
import type { TransportFailure } from './transport.ts';

/** The error for a call whose server cannot be reached, with the server's own last words. */
export function explainUnavailable(
  { name, address }: Pick<ServerSettings, 'name' | 'address'>,
  failure: TransportFailure,
  { errors, advice }: { readonly errors: readonly string[]; readonly advice?: string | undefined },
): ToolError {
  const reason = failure.message.replace(/\.$/, '');
  const said =
    errors.length === 0 ? '' : `\nIts last lines on standard error:\n${errors.map((line) => `  ${line}`).join('\n')}`;
  const what = `The MCP server "${name}" (${describeAddress(address)}) is not available: ${reason}.`;
  return new ToolError({
    code: failure.kind === 'unauthorized' ? 'permission_denied' : 'upstream_unavailable',
    message: cleanMessage(`${what}${advice === undefined ? '' : ` ${advice}`}${said}`),
  });
}
