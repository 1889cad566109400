import type { RecordedCall } from '../../../features/record/board-calls.ts';
import type { CliContext } from '../../cli-context.ts';
import { alignColumns } from '../../print/columns.ts';
import { createStyle } from '../../print/style.ts';
import { type CallTree, drawWaterfall, formatTime, nameOf } from './call-tree.ts';

/** Cells of one call in a list. */
export function toRow(call: RecordedCall): string[] {
  const { id, outcome, by, caller, startedAt, durationMs } = call;
  return [
    new Date(startedAt).toISOString().slice(0, 19).replace('T', ' '),
    id,
    nameOf(call),
    outcome,
    durationMs === undefined ? '' : formatTime(durationMs),
    caller === '' ? by : `${by} (${caller})`,
  ];
}

/** Everything that is recorded of a call, with the calls inside of it, as lines for a terminal. */
export function describeCall(call: CallTree, context: CliContext): string[] {
  const { inner } = call;
  const style = createStyle(context.stdout, context.env);
  const facts: [string, string | undefined][] = [
    [call.part ?? 'call', call.id],
    [
      call.part === undefined ? 'tool' : 'agent',
      [call.tool, call.kind, call.source].filter((part) => part !== undefined).join(' · '),
    ],
    ['by', call.caller === '' ? call.by : `${call.by} (${call.caller})`],
    ['client', call.client === undefined ? undefined : [call.client.name, call.client.version].join(' ').trim()],
    ['inside', call.parent],
    ['started', new Date(call.startedAt).toISOString()],
    ['outcome', call.outcome],
    ['attempts', call.attempts === undefined || call.attempts === 1 ? undefined : String(call.attempts)],
    ...(call.failedAttempts ?? []).map(({ attempt, at, ms, outcome, message }): [string, string] => [
      `attempt ${attempt}`,
      `${new Date(at).toISOString()} ${outcome} after ${formatTime(ms)}${message === undefined ? '' : `: ${message}`}`,
    ]),
    ['steps', call.steps === undefined ? undefined : String(call.steps)],
    ['usage', call.usage === undefined ? undefined : JSON.stringify(call.usage)],
    ['output', call.outputChars === undefined ? undefined : `${call.outputChars} characters`],
    ...(call.approvals ?? []).map(({ type, at, facts }): [string, string] => [
      type,
      `${new Date(at).toISOString()} ${JSON.stringify(facts)}`,
    ]),
    ['arguments', call.args],
    ['result', call.result],
  ];
  const rows = facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));
  return [
    ...alignColumns(rows, context.stdout.columns),
    ...(call.durationMs === undefined ? [] : ['', ...drawWaterfall(call)]),
    ...(inner.length === 0 ? [] : ['', style.bold('Inside')]),
    ...alignColumns(
      inner.flatMap((one) => toRows(one, '')),
      context.stdout.columns,
    ),
  ];
}

/** A call and all that is inside of it, each further in than what it is inside of. */
function toRows(call: CallTree, indent: string): string[][] {
  const [time = '', id = '', name = '', ...rest] = toRow(call);
  return [[time, id, `${indent}${name}`, ...rest], ...call.inner.flatMap((one) => toRows(one, `${indent}  `))];
}
