import { type HttpServer, serveHttp } from '../../../../mcp/server/http/serve-http.ts';
import type { Authenticator, HttpOptions } from '../../../../mcp/server/http/http-options.ts';
import { printJson } from '../../../../cli/shared/cli-context.ts';
import { countTools } from '../../../../cli/shared/board/list-board.ts';
import { readBoardToken, showTokenCommand } from './board-token.ts';
import { createAuthenticator } from './create-authenticator.ts';
import type { ServeOptions, Serving } from './serving.ts';
import { namesTokens, type ServeSection, toHttpOptions } from './serve-settings.ts';
import { toServerCard } from './to-server-card.ts';
import { readVersion } from '../../../../platform/own-package.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

interface RunOptions extends ServeOptions {
  /** True for the built-in example, whose data is deleted afterwards. */
  readonly isExample: boolean;
  /** The files from the command line. */
  readonly files: readonly string[];
}

/** Serves over HTTP until the person or the system stops it, and applies changes of the files. */
export async function runHttp(serving: Serving, options: RunOptions): Promise<void> {
  const { context, json, noToken } = options;
  const { server, board, section, log } = serving;
  let identified: { readonly by: string; readonly authenticator: Authenticator | undefined } | undefined;

  /** Returns the authentication. Reuses it while the settings are the same, so that it keeps the tokens it has checked. */
  const identify = (next: ServeSection, isOpen: boolean): Authenticator | undefined => {
    const { token, tokens, oauth } = next;
    const by = JSON.stringify([token, tokens, oauth, isOpen, board.data]);
    if (identified?.by !== by) {
      const boardToken = (): string => readBoardToken(board.data);
      identified = { by, authenticator: createAuthenticator(next, { token: options.token, isOpen, boardToken }) };
    }
    return identified.authenticator;
  };
  const toOptions = (next: ServeSection, isOpen: boolean): HttpOptions => {
    const authenticator = identify(next, isOpen);
    const { host, port } = options;
    return {
      ...toHttpOptions(next, authenticator),
      card: toServerCard(next, { board, isOpen: authenticator === undefined }),
      served: { version: readVersion(), digest: digestFiles(board.files) },
      onOtherFiles: () => void reloadIfChanged(),
      ...(authenticator === undefined ? { token: false } : {}),
      log,
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(options.metricsOpen ? { metricsOpen: true } : {}),
    };
  };

  /** Reloads when another replica has different files and ours changed unnoticed, as on a network disk. */
  const reloadIfChanged = async (): Promise<void> => {
    if (options.watch && digestFiles(board.files) !== servedDigest) await board.reload();
  };
  let servedDigest = digestFiles(board.files);
  board.on('reloaded', () => (servedDigest = digestFiles(board.files)));
  let told = describeEntry(section(), options);
  const http = await serveHttp(server, toOptions(section(), noToken));
  serving.onReload((next) => {
    const isOpen = noToken && !namesTokens(next);
    if (noToken && !isOpen) log('warning: the config now has tokens, so --no-token no longer applies.');
    if (!applySettings(http, () => toOptions(next, isOpen), log)) return;
    const entry = describeEntry(next, { ...options, noToken: isOpen });
    if (entry !== told) log(`now serving ${entry}`);
    told = entry;
  });
  if (json) printJson(context, { url: http.url });
  else log(`serving ${countTools(board.registry)} at ${http.url}, ${told}`);
  if (options.isExample && !noToken && options.token === undefined)
    log(`the token of the built-in example, only for this run: ${readBoardToken(board.data)}`);
  await new Promise<void>((resolve) => {
    context.onTerminate?.(resolve);
    context.signal.addEventListener('abort', () => resolve(), { once: true });
    serving.failed.addEventListener('abort', () => resolve(), { once: true });
    if (context.signal.aborted || serving.failed.aborted) resolve();
  });
  log('stopping');
  await http.close();
}

/** Applies the current settings. Warns about those that need a restart; `false` if none could be applied. */
function applySettings(http: HttpServer, toOptions: () => HttpOptions, log: (text: string) => void): boolean {
  try {
    for (const name of http.update(toOptions())) {
      const key = name === 'maxHeader' ? 'serve.limits.max_header' : `serve.${name}`;
      log(`warning: ${key} has changed. Restart the server to apply it.`);
    }
    return true;
  } catch (error) {
    const reason = messageOf(error);
    log(`error: the serve section was not applied; tokens, rights and limits stay as before: ${reason}`);
    return false;
  }
}

function describeEntry(section: ServeSection, { noToken, token, isExample, files }: RunOptions): string {
  if (noToken) return 'without a token: every process on this machine may call them';
  if (section.oauth !== undefined) return `with tokens of ${section.oauth.issuer}`;
  if (namesTokens(section) || token !== undefined) return 'with a token';
  if (isExample) return 'with a token';
  return `with the token that "${showTokenCommand(files)}" shows`;
}

/** Computes a digest of a board's current files, which is the same on every machine with the same files. */
function digestFiles(files: readonly { readonly file: string }[]): string {
  const hash = createHash('sha256');
  for (const { file } of files) {
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      // A file deleted since it was read also counts as a difference.
    }
    hash.update(JSON.stringify([basename(file), text]));
  }
  return hash.digest('base64url').slice(0, 16);
}
