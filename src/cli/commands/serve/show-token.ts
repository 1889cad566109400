import { dataFolder } from '../../../load/data-folder.ts';
import { ConfigError } from '../../../load/diagnostics/diagnostic.ts';
import { loadConfig } from '../../../load/load-config.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { type CliContext, printJson, printLine } from '../../cli-context.ts';
import { findConfig } from '../../board/find-config.ts';
import { readBoardToken } from './board-token.ts';
import { mergeServeSections, namesTokens } from './serve-settings.ts';

/** Prints the token with which clients reach a board that names none; makes it where there is none yet. */
export async function showToken(
  files: readonly string[],
  { context, json }: { readonly context: CliContext; readonly json: boolean },
): Promise<number> {
  const { cwd, env } = context;
  const { files: loaded, diagnostics } = await loadConfig(findConfig(files, context), context);
  if (loaded.length === 0) throw new ConfigError(diagnostics);
  if (namesTokens(mergeServeSections(loaded))) {
    const message =
      'This board has no token of its own: its config says who may come in, under serve.token, serve.tokens or serve.oauth.';
    throw new ToolError({ code: 'not_found', message });
  }
  const token = readBoardToken(dataFolder(loaded, { data: undefined, env, cwd }));
  const given = env['PEGBOARD_TOKEN'];
  if (given !== undefined && given !== '' && given !== token)
    printLine(context.stderr, 'PEGBOARD_TOKEN is set here: a server that is started with it takes that token instead.');
  if (json) printJson(context, { token });
  else printLine(context.stdout, token);
  return 0;
}
