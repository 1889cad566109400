import { join } from 'node:path';
import { ToolError } from '../../../tool/tool-error.ts';
import { createToken, LEAST_TOKEN_LENGTH } from '../../../mcp/server/auth/token-hash.ts';
import { prepareDataFolder } from '../../../platform/store/prepare-data-folder.ts';
import { createPrivateFile, readPrivateFile } from '../../../platform/store/private-file.ts';

/** The name of the file, in the board's data folder. */
const FILE = 'serve-token';

/**
 * The token of a board that names none: made when it is first asked for, the same in every process after that.
 *
 * Throws `permission_denied` where others may read the file.
 */
export function readBoardToken(data: string): string {
  const file = join(data, FILE);
  const known = readPrivateFile(file);
  if (known !== undefined) return check(file, known);
  try {
    prepareDataFolder(data);
    createPrivateFile(file, `${createToken()}\n`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The token of this board cannot be kept: ${reason}. Set data in pegboard.yaml, or PEGBOARD_DATA, to a folder that can be written, or name a token with --token.`;
    throw new ToolError({ code: 'execution_failed', message, cause });
  }
  // Another process may have been faster.
  return check(file, readPrivateFile(file) ?? '');
}

/** The command that shows the token of these files' board. */
export function showTokenCommand(files: readonly string[]): string {
  return ['pegboard serve --show-token', ...files].join(' ');
}

function check(file: string, text: string): string {
  const token = text.trim();
  if (token.length >= LEAST_TOKEN_LENGTH) return token;
  const message = `The file ${file} holds no token of ${LEAST_TOKEN_LENGTH} characters or more. Delete it to get a new one.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}
