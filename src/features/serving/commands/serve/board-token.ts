import { join } from 'node:path';
import { ToolError } from '../../../../tool/tool-error.ts';
import { createToken, LEAST_TOKEN_LENGTH, hashToken } from '../../../../mcp/server/auth/token-authenticator.ts';
import { prepareDataFolder, createPrivateFile, readPrivateFile } from '../../../../platform/store/private-file.ts';
import { dataFolder } from '../../../../load/data-folder.ts';
import { ConfigError } from '../../../../load/diagnostics/diagnostic.ts';
import { loadConfig } from '../../../../load/load-config.ts';
import { type CliContext, printLine } from '../../../../cli/shared/cli-context.ts';
import type { CommandAnswer } from '../../../../cli/shared/command.ts';
import { findConfig } from '../../../../cli/shared/board/find-config.ts';
import { lookMode } from '../../../../cli/shared/board/trust.ts';
import { mergeServeSections, namesTokens } from './serve-settings.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';

/** The file name in the board's data folder. */
const FILE = 'serve-token';

/**
 * Reads the token of a board whose config has none. It is created on first use and shared by all processes.
 *
 * Throws `permission_denied` if others can read the file.
 */
export function readBoardToken(data: string): string {
  const file = join(data, FILE);
  const known = readPrivateFile(file);
  if (known !== undefined) return check(file, known);
  try {
    prepareDataFolder(data);
    createPrivateFile(file, `${createToken()}\n`);
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The token of this board cannot be stored: ${reason}. Set data in pegboard.yaml, or PEGBOARD_DATA, to a writable folder, or pass a token with --token.`;
    throw new ToolError({ code: 'execution_failed', message, cause });
  }
  // Another process may have created it first.
  return check(file, readPrivateFile(file) ?? '');
}

/** Returns the command that shows the token of these files' board. */
export function showTokenCommand(files: readonly string[]): string {
  return ['pegboard serve --show-token', ...files].join(' ');
}

function check(file: string, text: string): string {
  const token = text.trim();
  if (token.length >= LEAST_TOKEN_LENGTH) return token;
  const message = `The file ${file} has no token of at least ${LEAST_TOKEN_LENGTH} characters. Delete it to get a new one.`;
  throw new ToolError({ code: 'invalid_arguments', message });
}

/** Shows the token of a board whose config has none; creates it on first use. */
export async function showToken(files: readonly string[], context: CliContext): Promise<CommandAnswer> {
  const { cwd, env } = context;
  const named = findConfig(files, context);
  const { files: loaded, diagnostics } = await loadConfig(named, { cwd, env, mode: lookMode(named, context) });
  if (loaded.length === 0) throw new ConfigError(diagnostics);
  if (namesTokens(mergeServeSections(loaded))) {
    const message =
      'This board has no token of its own: its config defines who may connect, under serve.token, serve.tokens or serve.oauth.';
    throw new ToolError({ code: 'not_found', message });
  }
  const token = readBoardToken(dataFolder(loaded, { data: undefined, env, cwd }));
  const given = env['PEGBOARD_TOKEN'];
  if (given !== undefined && given !== '' && given !== token)
    printLine(context.stderr, 'PEGBOARD_TOKEN is set: a server started with it uses that token instead.');
  return { data: { token }, view: token };
}

/** Creates a token for a client, and the hash for the config. */
export function makeToken(): CommandAnswer {
  const token = createToken();
  const hash = hashToken(token);
  return {
    data: { token, hash },
    view: [`token: ${token}`, `hash:  ${hash}`],
    notes: 'Give the token to the client; put the hash under serve.tokens in pegboard.yaml.',
  };
}
