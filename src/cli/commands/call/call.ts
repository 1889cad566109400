import type { CallOptions } from '../../../pipeline/call-options.ts';
import { withClient } from '../../../tool/calls/call-owner.ts';
import { createApproval } from '../../shared/ask/ask-approval.ts';
import type { Board } from '../../../board/board.ts';
import { findEntry } from '../../shared/board/find-entry.ts';
import { pipedInput, readArguments } from './read-arguments.ts';
import { canAsk, type CliContext, printJson, printLine } from '../../shared/cli-context.ts';
import { toCell } from '../../shared/print/columns.ts';
import { defineCommand, flag, listOption, valueOption } from '../../shared/command.ts';
import { formatDryRun, redactDryRun } from './dry-run.ts';
import { describeResult, printAnswer } from '../../shared/print/print-answer.ts';
import { clearLine } from '../../shared/print/gate-output.ts';
import { parseTime } from '../../shared/parse-values.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { createStyle } from '../../shared/print/style.ts';
import { redactorOf } from '../../shared/board/use-board.ts';
import { checkTarget, findKept, findWhole, printWhole, saveResult, withoutIds, withWhole } from './save-result.ts';
import { awaitTool } from '../../shared/board/find-tools.ts';

export const call = defineCommand({
  name: 'call',
  description: 'Calls a tool and prints its result. Errors go to stderr.',
  arguments: [
    { name: 'NAME', description: 'The name of the tool', required: true, completes: 'tools' },
    {
      name: 'ARGUMENTS',
      description: 'name=value for each argument, or all of them as a JSON object',
      multiple: true,
      completes: 'arguments',
    },
  ],
  options: {
    arg: listOption('NAME=VALUE', 'Like name=value, for names that look like an option', { short: 'a' }),
    args: valueOption('JSON', 'All arguments as a JSON object; - reads it from stdin'),
    interactive: flag('Ask for arguments that are not given', 'i'),
    'dry-run': flag('Show the exact command line, request or search, without running it'),
    out: valueOption('FILE', 'Write the returned file, or the text, to a file', { short: 'o' }),
    timeout: valueOption('TIME', 'Give up after this time: seconds, or 500ms, 2m. Progress from the tool restarts it'),
    yes: flag('Approve the call if the policy asks', 'y'),
  },
  examples: [
    ['pegboard call git_log limit=5', 'arguments one by one; repeat a name for a list'],
    [`echo '{"limit": 5}' | pegboard call git_log --args -`, 'arguments from another program'],
    ['pegboard call git_push branch=main --dry-run', 'show what would run'],
    ['pegboard call get_archive --out archive.zip', 'save a file that an API returns'],
  ],
  parse({ values, context }) {
    if (values.interactive && !canAsk(context)) {
      throw new UsageError('--interactive needs a terminal.', 'call');
    }
    const timeout = parseTime(values.timeout, '--timeout', 'call');
    const file = values.out === undefined ? undefined : checkTarget(values.out, context.cwd);
    return { timeout, file };
  },
  board: ({ values, positionals: [about = ''], context }) => ({
    about,
    servers: 'cached',
    approve: createApproval(context, values.yes),
  }),
  async run({ values, positionals: [name = '', ...words], parsed: { timeout, file }, json, context, board }) {
    const tool = await awaitTool(board, name, { context, wish: 'retry' });
    const given = await readArguments(tool, { ...values, words }, context);
    const piped = values.args === '-' || values.interactive ? undefined : pipedInput(context);
    const input = inputArgumentOf(board, tool.metadata.name);
    const isFilled = piped !== undefined && input !== undefined && !Object.hasOwn(given, input);
    const written = isFilled ? { ...given, [input]: await piped.read() } : given;
    const { askArguments } = values.interactive ? await import('./ask-arguments.ts') : {};
    const args = (await askArguments?.(tool, written, context)) ?? written;
    if (values['dry-run']) {
      const plan = redactDryRun(await board.dryRun(tool.metadata.name, args), redactorOf(board));
      return { data: plan, view: formatDryRun(plan), exitCode: plan.verdict?.type === 'refused' ? 1 : 0 };
    }
    const wasPiped = piped === undefined || isFilled ? undefined : piped.watch();
    const { onProgress, clear } = showProgress(context);
    const result = await board.call(tool.metadata.name, args, {
      timeout,
      signal: context.signal,
      onProgress,
      context: withClient({}, { user: '', session: '', via: 'terminal' }),
    });
    clear();
    if ((await wasPiped?.()) === true) printLine(context.stderr, noteUnread(input, context));
    if (file !== undefined && result.ok) {
      const bytes = await saveResult(file, result, board);
      const view = `Wrote ${bytes.toLocaleString('en-US')} bytes to ${values.out}.`;
      return { data: { written: values.out, bytes }, view };
    }
    const whole = result.ok ? findWhole(result, board) : undefined;
    if (json) printJson(context, await withWhole(result, board));
    else if (whole !== undefined && context.stdout.isTTY !== true) {
      if (!(await printWhole(whole, context.stdout))) printLine(context.stderr, NOT_WHOLE);
    } else {
      const isKept = whole !== undefined || findKept(result, board) !== undefined;
      // Printed now, because closing the servers of the board may take a while.
      printAnswer(describeResult(result.with({ text: withoutIds(result.text) }), isKept), false, context);
    }
    return result.ok ? 0 : 1;
  },
});

const NOT_WHOLE = 'The output exceeded the storage limit: its end is missing.';

/** Returns the argument that a tool's command reads from standard input. */
function inputArgumentOf({ files }: Board, name: string): string | undefined {
  const found = findEntry(files, name);
  return found?.entry.kind.inputArgument?.(found.entry);
}

/** Explains why piped input was not used. */
function noteUnread(input: string | undefined, { stderr, env }: CliContext): string {
  const why =
    input === undefined ? 'the tool has no argument for standard input' : `"${input}" is given among the arguments too`;
  return `${createStyle(stderr, env).yellow('note')} The piped input was not used: ${why}.`;
}

/** Shows progress on a terminal as one line, which is cleared before the result. */
function showProgress({ stderr }: CliContext): { onProgress: CallOptions['onProgress']; clear: () => void } {
  let isShown = false;
  return {
    onProgress:
      stderr.isTTY === true
        ? ({ done, total, message = '' }) => {
            isShown = true;
            const amount = total === undefined ? String(done) : `${done}/${total}`;
            const line = toCell(`${amount} ${message}`).slice(0, Math.max(20, (stderr.columns || 80) - 1));
            stderr.write(`${clearLine()}${line}`);
          }
        : undefined,
    clear: () => {
      if (isShown) stderr.write(clearLine());
    },
  };
}
