import type { CallFilter, RecordedCall } from '../board-calls.ts';
import { record } from '../feature.ts';
import { printLine } from '../../../cli/shared/cli-context.ts';
import { defineCommand, flag, valueOption } from '../../../cli/shared/command.ts';
import { readTime } from '../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { printAnswer } from '../../../cli/shared/print/print-answer.ts';
import { toRow } from './call-tree.ts';

export const calls = defineCommand({
  name: 'calls',
  description: 'Lists the recorded calls of all processes of the board, newest first.',
  options: {
    tool: valueOption('NAME', 'Only calls of this tool'),
    caller: valueOption('NAME', 'Only calls for this user'),
    outcome: valueOption('OUTCOME', 'ok, running, lost, or an error code'),
    since: valueOption('TIME', 'Such as 10m, 2h, 7d, or a date'),
    grep: valueOption('TEXT', 'Only calls with this text in their record'),
    limit: valueOption('N', 'The number of calls (default: 50)'),
    follow: flag('Keep running, and show calls as they end'),
  },
  examples: [
    ['pegboard calls --since 1h --outcome timeout', 'calls that were recently too slow'],
    ['pegboard calls --follow', 'watch an agent at work'],
  ],
  board: { mode: 'look' },
  async run({ values, json, context, board }) {
    const filter: CallFilter = {
      tool: values.tool,
      caller: values.caller,
      outcome: values.outcome,
      since: values.since === undefined ? undefined : readTime(values.since, '--since', 'calls'),
      text: values.grep,
    };
    const limit = values.limit === undefined ? undefined : Number(values.limit);
    if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
      throw new UsageError('--limit takes a whole number above 0.', 'calls');
    const following = values.follow ? board.calls.follow(filter, context.signal) : undefined;
    const onPartial = (lines: number): void =>
      printLine(
        context.stderr,
        `Searched only the newest ${lines.toLocaleString('en-US')} lines. Narrow the search with --since, --tool, --caller or --outcome.`,
      );
    const found = await board.calls.list({ ...filter, limit, onPartial });
    if (following === undefined) {
      const settings = board.feature(record)?.settings.record;
      const isOff = settings?.level === 'off' && settings.tools.size === 0;
      const none = isOff ? 'This board records no calls: its file says record: off.' : 'There are no such calls.';
      return { data: found, view: () => found.map(toRow), notes: found.length === 0 ? none : [] };
    }
    const show = (some: readonly RecordedCall[]): void => {
      if (json) for (const call of some) printLine(context.stdout, JSON.stringify(call));
      else printAnswer({ data: some, view: some.map(toRow) }, false, context);
    };
    show(found.toReversed());
    const shown = new Set(found.map(({ id, outcome }) => `${id} ${outcome}`));
    // Waiting for other processes does not keep the process alive by itself.
    const alive = setInterval(() => undefined, 60_000);
    try {
      for await (const call of following) if (!shown.has(`${call.id} ${call.outcome}`)) show([call]);
    } finally {
      clearInterval(alive);
    }
    return 0;
  },
});
