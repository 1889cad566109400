import { counted } from '../../tool/texts/counted.ts';
import { countTools } from '../shared/board/list-board.ts';
import { ApprovalInbox } from '../../guard/approval/approval-inbox.ts';
import { printLine } from '../shared/cli-context.ts';
import { printAnswer } from '../shared/print/print-answer.ts';
import { defineCommand, FILES_ARGUMENT, flag, valueOption } from '../shared/command.ts';
import { parsePort } from '../shared/parse-values.ts';

export const inspect = defineCommand({
  name: 'inspect',
  description:
    'Opens the board as a web page on this machine: find and call tools, watch calls, answer approvals. Prints a link with a new access key, and runs until you stop it.',
  arguments: [FILES_ARGUMENT],
  options: {
    port: valueOption('PORT', 'The port on 127.0.0.1 (default: any free port)'),
    open: flag('Open the link in your browser'),
    watch: flag('Reload when a config file changes'),
  },
  examples: [
    ['pegboard inspect', 'open the board of this folder'],
    ['pegboard inspect git.yaml --open --watch', 'while you write a config'],
  ],
  parse({ values, context }) {
    const port = parsePort(values.port, 'inspect');
    // Listens before printing the link, because its reader may stop the command immediately.
    const stopped = new Promise<void>((resolve) => {
      context.onTerminate?.(resolve);
      context.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const inbox = new ApprovalInbox();
    return { port, stopped, inbox };
  },
  board: ({ values, parsed }) => ({ approve: parsed.inbox.ask, watch: values.watch }),
  async run({ values, json, parsed: { port, stopped, inbox }, context, board }) {
    const { startInspector } = await import('../../inspector/start-inspector.ts');
    const inspector = await startInspector(board, { inbox, port });
    const { stderr } = context;
    const count = counted(board.index.size, 'tool');
    // Before the link: its reader may stop the command immediately.
    if (!json) printLine(stderr, `${count}. Open this link (keep it private, it gives access). Press Ctrl-C to stop.`);
    printAnswer({ data: { url: inspector.url }, view: inspector.url }, json, context);
    board.on('reloaded', () => printLine(stderr, `reloaded: ${countTools(board.registry)}`));
    board.on('reload-failed', ({ error }) => printLine(stderr, `not reloaded: ${error.message}`));
    if (values.open) {
      const { openBrowser } = await import('../shared/board/open-inspector.ts');
      openBrowser(inspector.url, context);
    }
    await stopped;
    await inspector.close();
    return 0;
  },
});
