import type { RecordedCall } from '../../../board/record/board-calls.ts';
import type { CallStage } from '../../../pipeline/call-recorder.ts';
import type { CliContext } from '../../cli-context.ts';
import { alignColumns } from '../../print/columns.ts';
import { createStyle } from '../../print/style.ts';

/** Cells of one call in a list. */
export function toRow(call: RecordedCall): string[] {
  const { id, tool, outcome, by, caller, startedAt, durationMs } = call;
  return [
    new Date(startedAt).toISOString().slice(0, 19).replace('T', ' '),
    id,
    tool,
    outcome,
    durationMs === undefined ? '' : formatTime(durationMs),
    caller === '' ? by : `${by} (${caller})`,
  ];
}

/** Everything that is recorded of a call, with the calls inside of it, as lines for a terminal. */
export function describeCall(call: RecordedCall, inner: readonly RecordedCall[], context: CliContext): string[] {
  const style = createStyle(context.stdout, context.env);
  const facts: [string, string | undefined][] = [
    ['call', call.id],
    ['tool', [call.tool, call.kind, call.source].filter((part) => part !== undefined).join(' · ')],
    ['by', call.caller === '' ? call.by : `${call.by} (${call.caller})`],
    ['inside', call.parent],
    ['started', new Date(call.startedAt).toISOString()],
    ['outcome', call.outcome],
    ['attempts', call.attempts === undefined || call.attempts === 1 ? undefined : String(call.attempts)],
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
    ...(call.durationMs === undefined ? [] : ['', ...waterfall(call)]),
    ...(inner.length === 0 ? [] : ['', style.bold('Calls inside')]),
    ...alignColumns(inner.map(toRow), context.stdout.columns),
  ];
}

const WIDTH = 40;
const CALL_STAGES: readonly CallStage[] = ['check', 'hooks', 'guard', 'person', 'queue', 'run', 'shape'];

/** The parts of a call, one below the other, as long as they took. */
function waterfall({ durationMs = 0, stages = {} }: RecordedCall): string[] {
  const total = Math.max(
    durationMs,
    CALL_STAGES.reduce((sum, stage) => sum + (stages[stage] ?? 0), 0),
    0.001,
  );
  let before = 0;
  return CALL_STAGES.flatMap((stage) => {
    const time = stages[stage];
    if (time === undefined) return [];
    const from = Math.round((before / total) * WIDTH);
    const length = Math.max(1, Math.round((time / total) * WIDTH));
    before += time;
    return [`${stage.padEnd(6)} ${' '.repeat(Math.min(from, WIDTH - 1))}${'█'.repeat(length)} ${formatTime(time)}`];
  });
}

function formatTime(milliseconds: number): string {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1_000)} µs`;
  return milliseconds < 1_000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
