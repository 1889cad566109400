import { UsageError } from '../../command-line/usage-error.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBoard } from '../../../board/open-board.ts';
import type { Board } from '../../../board/board.ts';
import type { OpenBoardOptions } from '../../../board/open-board-options.ts';
import { formatDiagnostic } from '../../../load/diagnostics/diagnostic.ts';
import type { Inspector } from '../../../inspector/start-inspector.ts';
import { McpServer } from '../../../mcp/server/mcp-server.ts';
import type { McpServerOptions } from '../../../mcp/server/server-options.ts';
import { ApprovalInbox } from '../../../guard/approval/approval-inbox.ts';
import { createApproval, inTurn } from '../../ask/ask-approval.ts';
import { formatStarterConfig, STARTER_KINDS } from '../init/starter-config.ts';
import { type CliContext, printLine } from '../../cli-context.ts';
import { countTools } from '../../board/list-board.ts';
import { tellWaiting } from '../../board/tell-waiting.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { ungated, withholdSecrets } from '../../print/gate-output.ts';
import { tryFindConfig } from '../../board/find-config.ts';
import { readVersion } from '../../../platform/own-package.ts';
import { answerOnStdio } from './answer-on-stdio.ts';
import { claimOutput, type ClaimedOutput } from './claim-output.ts';
import { createApprover, defaultApprovers } from './create-approver.ts';
import { mergeServeSections, readGrace, type ServeSection, toServerOptions } from './serve-settings.ts';
import { checkSharedStore } from './check-shared-store.ts';
import type { ServeOptions, Serving } from './serving.ts';

/** Milliseconds that closing the board may take. */
const CLOSE_TIME = 500;

/** Serves a board until the client, the person or the system stops it. Returns the exit code. */
export async function serveBoard(files: readonly string[], options: ServeOptions): Promise<number> {
  const { context } = options;
  const log = (text: string): void => printLine(context.stderr, `pegboard: ${text}`);
  const found = tryFindConfig(files, context);
  const example = found === undefined ? placeExample() : undefined;
  if (example !== undefined)
    log(
      'there is no pegboard.yaml in this folder or above: serving the built-in example. Create your own with: pegboard init',
    );
  const inbox = options.inspect ? new ApprovalInbox() : undefined;
  let section: ServeSection = {};
  let { http: isHttp } = options;
  const atTerminal = inTurn(createApproval(context, false));
  const boardOptions: OpenBoardOptions = {
    cwd: context.cwd,
    env: context.env,
    watch: options.watch,
    approve: createApprover({
      wanted: () => section.approvals ?? defaultApprovers(inbox !== undefined),
      inbox,
      // Over stdio, the terminal belongs to the client.
      terminal: (request) => (isHttp && atTerminal !== undefined ? atTerminal(request) : 'unavailable'),
    }),
    ...(options.eager ? { eager: true } : {}),
    ...(example === undefined ? {} : { data: join(example, 'data') }),
  };
  // Claimed before the first script is loaded: the client would read its output as a message.
  const claimed = options.http ? undefined : claimOutput(ungated(context.stdout), context.stderr);
  let board: Board | undefined;
  let inspector: Inspector | undefined;
  try {
    const open = (board = await openBoard(found ?? [join(example ?? '', 'pegboard.yaml')], boardOptions));
    for (const output of [context.stdout, context.stderr]) withholdSecrets(output, (text) => open.redact(text));
    section = mergeServeSections(open.files);
    const failed = await checkSharedStore(open, log);
    const version = readVersion();
    const serverOptions = (): McpServerOptions => ({
      ...toServerOptions(section, {
        mode: options.mode,
        compat: options.compat,
        version,
        boardName: example === undefined ? (open.files.at(-1)?.name ?? '') : 'pegboard-example',
      }),
    });
    const server = new McpServer(open, serverOptions());
    const listeners: ((section: ServeSection) => void)[] = [];
    // In the same turn as the new tools: no request sees new tools with old rights.
    open.on('reloaded', () => {
      section = mergeServeSections(open.files);
      server.update(serverOptions());
      for (const listener of listeners) listener(section);
    });
    report(open, log);
    const serving: Serving = {
      server,
      board: open,
      section: () => section,
      onReload: (listener) => void listeners.push(listener),
      log,
      failed,
    };
    isHttp ||= section.http === true && !options.stdio;
    if (options.inspect && !isHttp) {
      throw new UsageError('--inspect needs --http, or serve.http: true in the board file.', 'serve');
    }
    warnAboutFixed(serving, isHttp, options);
    if (inbox !== undefined) {
      const { openInspector } = await import('../../board/open-inspector.ts');
      inspector = await openInspector(board, inbox, context);
    }
    if (isHttp || claimed === undefined) {
      claimed?.release();
      // Only the file says HTTP: a client that started this process over stdio would wait forever.
      if (claimed !== undefined) answerOnStdio(context);
      const { runHttp } = await import('./run-http.ts');
      await runHttp(serving, { ...options, files, isExample: example !== undefined });
    } else await runStdio(serving, { context, claimed });
    await server.close();
    if (failed.aborted) return 1;
  } finally {
    await inspector?.close();
    // A board that is slow to close must not keep the process alive; its child processes end with it.
    await Promise.race([board?.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_TIME).unref())]);
    claimed?.release();
    if (example !== undefined) rmSync(example, { recursive: true, force: true });
  }
  return 0;
}

async function runStdio(
  { server, section, failed }: Serving,
  { context, claimed }: { readonly context: CliContext; readonly claimed: ClaimedOutput },
): Promise<void> {
  const { serveStdio } = await import('../../../mcp/server/stdio/serve-stdio.ts');
  const { stdout } = context;
  const piped = context.openPipedInput?.();
  const stop = new AbortController();
  context.onTerminate?.(() => stop.abort());
  const signal = AbortSignal.any([stop.signal, context.signal, failed]);
  if (piped === undefined && context.stdin.isTTY === true) {
    printLine(
      context.stderr,
      'pegboard: waiting for an MCP client on stdin. For people: pegboard list, or pegboard serve --http.',
    );
  }
  await serveStdio(server, {
    input: piped ?? context.stdin,
    output: ungated(stdout),
    write: (text) => claimed.write(text),
    signal,
    maxMessage: () => section().limits?.max_body,
    grace: () => readGrace(section()),
  });
}

/** Warns about settings that need a restart, and about approvers that are not available. */
function warnAboutFixed({ section, onReload, log }: Serving, isHttp: boolean, { http, inspect }: ServeOptions): void {
  const check = ({ approvals = [] }: ServeSection): void => {
    if (approvals.includes('inspector') && !inspect)
      log('warning: serve.approvals names the inspector, which is not open. Start with --inspect.');
    if (approvals.includes('terminal') && !isHttp)
      log('warning: serve.approvals names the terminal, which over stdio belongs to the client. Start with --http.');
  };
  check(section());
  onReload((next) => {
    check(next);
    const isWanted = http || next.http === true;
    if (isWanted !== isHttp) log(`warning: serve.http is now ${isWanted}. Restart the server to apply it.`);
  });
}

function report(board: Board, log: (text: string) => void): void {
  const told = new Set<string>();
  const tell = (diagnostics: Board['diagnostics']): void => {
    for (const diagnostic of diagnostics.filter(({ severity }) => severity !== 'note')) {
      const line = `${diagnostic.severity} ${formatDiagnostic(diagnostic)}`;
      if (!told.has(line)) log(line);
      told.add(line);
    }
  };
  tell(board.diagnostics);
  const coming = board.servers.filter(({ offered, failure }) => offered === undefined && failure === undefined);
  if (coming.length > 0)
    log(`asking ${coming.map(({ name }) => name).join(', ')} for tools; they are added when the server answers`);
  board.on('server-changed', ({ server, diagnostics }) => {
    const offered = board.servers.find(({ name }) => name === server)?.offered ?? 0;
    log(`the MCP server "${server}" now offers ${counted(offered, 'tool')}`);
    tell(diagnostics);
  });
  board.on('server-failed', ({ failure }) => {
    const again = new Date(failure.retryAt).toLocaleTimeString('en-GB');
    log(`warning: ${failure.message}\nThe next attempt is at ${again}, or when one of its tools is called.`);
  });
  tellWaiting(board, log);
  board.on('notify-failed', ({ id, message }) => log(`warning: nobody was notified of the approval ${id}. ${message}`));
  board.on('reloaded', () => log(`reloaded: ${countTools(board.registry)}`));
  board.on('reload-failed', ({ error }) => log(`not reloaded, the board is unchanged: ${error.message}`));
}

/** Writes the built-in example to a temporary folder. */
function placeExample(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-example-'));
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    formatStarterConfig('pegboard example', {
      kinds: STARTER_KINDS,
      schema: './pegboard.schema.json',
      // It works in the caller's folder, which is elsewhere.
      hasRoots: false,
    }),
  );
  return folder;
}
