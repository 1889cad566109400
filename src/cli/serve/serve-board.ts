import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Board, openBoard, type OpenBoardOptions } from '../../config/open-board.ts';
import { formatDiagnostic } from '../../config/diagnostic.ts';
import type { Inspector } from '../../inspector/start-inspector.ts';
import { approveByClient } from '../../mcp/server/approve-by-client.ts';
import { McpServer } from '../../mcp/server/mcp-server.ts';
import type { McpServerOptions } from '../../mcp/server/server-options.ts';
import { ApprovalInbox } from '../../policy/approval-inbox.ts';
import { claimOutput, type ClaimedOutput } from './claim-output.ts';
import { formatStarterBoard, STARTER_KINDS } from '../board-template.ts';
import { countTools } from '../count-tools.ts';
import { type CliContext, printJson, printLine } from '../cli-context.ts';
import { ungated } from '../gate-output.ts';
import { tryFindConfig } from '../find-config.ts';
import { mergeServeSections, type ServeSection, toHttpOptions, toServerOptions } from './serve-settings.ts';

/** What the command line says about serving. */
export interface ServeOptions {
  readonly context: CliContext;
  readonly mode: McpServerOptions['mode'] | undefined;
  readonly compat: McpServerOptions['compat'];
  readonly http: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly token: string | undefined;
  readonly metricsOpen: boolean;
  readonly watch: boolean;
  /** Approvals are answered on the inspector's page, instead of by clients. */
  readonly inspect: boolean;
  readonly eager: boolean;
  readonly json: boolean;
}

/** How long closing the board may hold up the end. */
const CLOSE_TIME = 500;

/** Serves a board until the client, the person or the system ends it; gives the exit code. */
export async function serveBoard(files: readonly string[], options: ServeOptions): Promise<number> {
  const { context } = options;
  const log = (text: string): void => printLine(context.stderr, `pegboard: ${text}`);
  const found = tryFindConfig(files, context.cwd);
  const example = found === undefined ? placeExample() : undefined;
  if (example !== undefined)
    log('there is no pegboard.yaml here or above: serving the built-in example. Write your own with: pegboard init');
  const inbox = options.inspect ? new ApprovalInbox() : undefined;
  const boardOptions: OpenBoardOptions = {
    cwd: context.cwd,
    env: context.env,
    watch: options.watch,
    approve: inbox?.ask ?? approveByClient,
    ...(options.eager ? { eager: true } : {}),
    ...(example === undefined ? {} : { data: join(example, 'data') }),
  };
  // From before the first script is loaded: a line of theirs would be read as a message.
  const claimed = options.http ? undefined : claimOutput(ungated(context.stdout), context.stderr);
  let board: Board | undefined;
  let inspector: Inspector | undefined;
  try {
    const open = (board = await openBoard(found ?? [join(example ?? '', 'pegboard.yaml')], boardOptions));
    report(board, log);
    const section = mergeServeSections(board.files);
    const { readVersion } = await import('../read-version.ts');
    const settings = { mode: options.mode, compat: options.compat, version: readVersion() };
    const name = example === undefined ? (board.files.at(-1)?.name ?? '') : 'pegboard-example';
    const server = new McpServer(board, {
      ...toServerOptions(section, { ...settings, board: name }),
      redact: (text) => open.redact(text),
    });
    if (inbox !== undefined) {
      const { openInspector } = await import('../open-inspector.ts');
      inspector = await openInspector(board, inbox, context);
    }
    if (claimed === undefined || section.http === true) {
      claimed?.release();
      await runHttp(server, section, { ...options, log });
    } else await runStdio(server, section, { context, claimed });
    server.close();
  } finally {
    await inspector?.close();
    // Whatever hangs on must not keep the process; what it started ends with it.
    await Promise.race([board?.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_TIME).unref())]);
    claimed?.release();
    if (example !== undefined) rmSync(example, { recursive: true, force: true });
  }
  return 0;
}

async function runStdio(
  server: McpServer,
  { limits }: ServeSection,
  { context, claimed }: { readonly context: CliContext; readonly claimed: ClaimedOutput },
): Promise<void> {
  const { serveStdio } = await import('../../mcp/server/stdio/serve-stdio.ts');
  const { stdin, stdout } = context;
  const stop = new AbortController();
  context.onTerminate?.(() => stop.abort());
  const signal = AbortSignal.any([stop.signal, context.signal]);
  if (stdin.isTTY === true) {
    printLine(
      context.stderr,
      'pegboard: waiting for an MCP client on stdin. For people: pegboard list, or pegboard serve --http.',
    );
  }
  const maxMessage = limits?.maxBody;
  await serveStdio(server, {
    input: stdin,
    output: ungated(stdout),
    write: (text) => claimed.write(text),
    signal,
    ...(maxMessage === undefined ? {} : { maxMessage }),
  });
}

async function runHttp(
  server: McpServer,
  section: ServeSection,
  options: ServeOptions & { readonly log: (text: string) => void },
): Promise<void> {
  const { context, log, json } = options;
  const [{ serveHttp }, { createAuthenticator }] = await Promise.all([
    import('../../mcp/server/http/serve-http.ts'),
    import('./create-authenticator.ts'),
  ]);
  const authenticator = await createAuthenticator(section, options.token);
  const { host, port } = options;
  const http = await serveHttp(server, {
    ...toHttpOptions(section, authenticator),
    log,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(options.metricsOpen ? { metricsOpen: true } : {}),
  });
  if (json) printJson(context, { url: http.url });
  else
    log(
      `serving ${countTools(server.board.registry)} at ${http.url}${authenticator === undefined ? '' : ', with a token'}`,
    );
  await new Promise<void>((resolve) => {
    context.onTerminate?.(resolve);
    context.signal.addEventListener('abort', () => resolve(), { once: true });
    if (context.signal.aborted) resolve();
  });
  log('stopping');
  await http.close();
}

function report(board: Board, log: (text: string) => void): void {
  for (const diagnostic of board.diagnostics) {
    if (diagnostic.severity !== 'note') log(`${diagnostic.severity} ${formatDiagnostic(diagnostic)}`);
  }
  board.on('reloaded', () => log(`reloaded: ${countTools(board.registry)}`));
  board.on('reload-failed', ({ error }) => log(`not reloaded, the board stays as it is: ${error.message}`));
}

/** A board to look at, for those who have none yet. */
function placeExample(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-example-'));
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    formatStarterBoard('pegboard example', STARTER_KINDS, './pegboard.schema.json'),
  );
  return folder;
}
