import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { openBoard } from '../../../../board/open-board.ts';
import type { Board } from '../../../../board/board.ts';
import type { OpenBoardOptions } from '../../../../board/open-board-options.ts';
import type { Inspector } from '../../../../inspector/start-inspector.ts';
import { ApprovalInbox } from '../../../../guard/approval/approval-inbox.ts';
import { createApproval, inTurn } from '../../../../cli/shared/ask/ask-approval.ts';
import { printLine } from '../../../../cli/shared/cli-context.ts';
import { gateText, ungated, withholdSecrets } from '../../../../cli/shared/print/gate-output.ts';
import { tryFindConfig } from '../../../../cli/shared/board/find-config.ts';
import { readVersion } from '../../../../platform/own-package.ts';
import { placeExample } from './example-board.ts';
import { reportBoard, warnAboutFixed } from './report-board.ts';
import { answerOnStdio, claimOutput, runStdio } from './run-stdio.ts';
import { createApprover, defaultApprovers } from './create-approver.ts';
import { mergeServeSections, type ServeSection, toServerOptions } from './serve-settings.ts';
import { checkSharedStore } from './check-shared-store.ts';
import { ServedBoards } from './served-boards.ts';
import { SharedBoard } from './shared-board.ts';
import type { ServeOptions, Serving } from './serving.ts';

/** Milliseconds that closing the board may take. */
const CLOSE_TIME = 500;

/** Serves a board until the client, the person or the system stops it. Returns the exit code. */
export async function serveBoard(files: readonly string[], options: ServeOptions): Promise<number> {
  const { context } = options;
  const shared = options.shared ? new SharedBoard(context) : undefined;
  let board: Board | undefined;
  const log = (text: string): void => {
    printLine(context.stderr, `pegboard: ${text}`);
    shared?.log(gateText(board === undefined ? text : board.redact(text)));
  };
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
    env: shared?.env ?? context.env,
    watch: options.shared ? 'careful' : options.watch,
    approve: createApprover({
      wanted: () => section.approvals ?? defaultApprovers(inbox !== undefined),
      inbox,
      // Over stdio, the terminal belongs to the client.
      terminal: (request) => (isHttp && atTerminal !== undefined ? atTerminal(request) : 'unavailable'),
    }),
    ...(options.eager ? { eager: true } : {}),
    ...(example === undefined ? {} : { data: example.data }),
  };
  // Claimed before the first script is loaded: the client would read its output as a message.
  const claimed = options.http || options.shared ? undefined : claimOutput(ungated(context.stdout), context.stderr);
  let inspector: Inspector | undefined;
  try {
    const open = (board = await openBoard(found ?? example?.file ?? [], boardOptions));
    for (const output of [context.stdout, context.stderr]) withholdSecrets(output, (text) => open.redact(text));
    section = mergeServeSections(open.files);
    const failed = await checkSharedStore(open, log);
    const version = readVersion();
    const servers = new ServedBoards(open, ({ mode = options.mode, compat = options.compat }) =>
      toServerOptions(section, {
        mode,
        compat,
        version,
        boardName: example === undefined ? (open.files.at(-1)?.name ?? '') : 'pegboard-example',
      }),
    );
    const server = servers.find();
    const listeners: ((section: ServeSection) => void)[] = [];
    // In the same turn as the new tools: no request sees new tools with old rights.
    open.on('reloaded', () => {
      section = mergeServeSections(open.files);
      servers.update();
      for (const listener of listeners) listener(section);
    });
    reportBoard(open, log);
    const serving: Serving = {
      server,
      serverFor: (wish) => servers.find(wish),
      runningTasks: () => servers.runningTasks,
      board: open,
      section: () => section,
      onReload: (listener) => void listeners.push(listener),
      log,
      failed,
    };
    isHttp ||= section.http === true && !options.stdio && shared === undefined;
    if (options.inspect && !isHttp) {
      throw new UsageError('--inspect needs --http, or serve.http: true in the board file.', 'serve');
    }
    warnAboutFixed(serving, isHttp, options);
    if (inbox !== undefined) {
      const { openInspector } = await import('../../../../cli/shared/board/open-inspector.ts');
      inspector = await openInspector(board, inbox, context);
    }
    if (shared !== undefined) await shared.run(serving, { files: found ?? [], version, stdio: options.stdio });
    else if (isHttp || claimed === undefined) {
      claimed?.release();
      // Only the file says HTTP: a client that started this process over stdio would wait forever.
      if (claimed !== undefined) answerOnStdio(context);
      const { runHttp } = await import('./run-http.ts');
      await runHttp(serving, { ...options, files, isExample: example !== undefined });
    } else await runStdio(serving, { context, claimed });
    await servers.close();
    if (failed.aborted) return 1;
  } finally {
    await inspector?.close();
    // A board that is slow to close must not keep the process alive; its child processes end with it.
    await Promise.race([board?.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_TIME).unref())]);
    claimed?.release();
    example?.remove();
  }
  return 0;
}
