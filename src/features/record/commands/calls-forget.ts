import { counted } from '../../../tool/texts/counted.ts';
import { nearestNames } from '../../../tool/texts/suggest.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { defineCommand, valueOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';

/** The number of calls searched for callers, and of callers named in a message. */
const [MOST_READ, MOST_NAMED] = [1000, 10];

export const callsForget = defineCommand({
  name: 'calls forget',
  description: 'Deletes the records of one caller. In a sealed record, a signed note says that lines were deleted.',
  options: {
    caller: valueOption('NAME', 'The user, as `pegboard calls` shows it in parentheses, or the name of a token'),
  },
  examples: [['pegboard calls forget --caller ada', 'for a request to delete personal data']],
  parse({ values: { caller } }) {
    if (caller === undefined || caller === '') throw new UsageError('Name the caller: --caller NAME.', 'calls forget');
    return caller;
  },
  board: { mode: 'look' },
  async run({ parsed: caller, board }) {
    const own = await board.calls.forget(caller);
    // Callers with a token from the config are recorded as token:NAME.
    const named = own > 0 ? caller : `token:${caller}`;
    const lines = own > 0 ? own : await board.calls.forget(named);
    if (lines > 0) {
      const view = `Deleted ${counted(lines, 'line')} of "${named}".`;
      return { data: { caller: named, lines }, view };
    }
    const recorded = await board.calls.list({ limit: MOST_READ });
    const callers = [...new Set(recorded.map((call) => call.caller))].filter((name) => name !== '');
    const nearest = nearestNames(caller, callers);
    const others = (nearest.length > 0 ? nearest : callers).slice(0, MOST_NAMED);
    const hint =
      others.length === 0 ? 'No call is recorded with a caller.' : `There are calls of: ${others.join(', ')}.`;
    throw new ToolError({ code: 'not_found', message: `There are no records of "${caller}". ${hint}` });
  },
});
