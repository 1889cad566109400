import type { BoardCalls, RecordedCall } from '../board-calls.ts';
import type { CallStage } from '../../../pipeline/call-recorder.ts';

/** A call with its inner calls, oldest first. */
export interface CallTree extends RecordedCall {
  readonly inner: readonly CallTree[];
}

const MOST_INNER = 200;
/** A subagent takes four levels: its call, its run, a step, and the calls of the step. */
const DEEPEST = 20;
const WIDTH = 40;
const STAGES: readonly CallStage[] = ['check', 'hooks', 'guard', 'person', 'queue', 'run', 'shape'];

/** Reads the inner calls of a call, recursively. */
export async function readCallTree(calls: BoardCalls, call: RecordedCall, depth = DEEPEST): Promise<CallTree> {
  const inner = depth === 0 ? [] : await calls.list({ parent: call.id, limit: MOST_INNER });
  const trees: CallTree[] = [];
  for (const one of inner.toReversed()) trees.push(await readCallTree(calls, one, depth - 1));
  return { ...call, inner: trees };
}

interface Bar {
  readonly label: string;
  readonly from: number;
  readonly time: number;
  readonly note: string;
}

/** Draws a call's stages, requests and inner calls as bars of their duration. */
export function drawWaterfall(tree: CallTree): string[] {
  const bars = toBars(tree, { root: tree.startedAt, indent: '' });
  const end = Math.max(0.001, ...bars.map(({ from, time }) => from + time));
  const widest = Math.max(...bars.map(({ label }) => label.length));
  return bars.map(({ label, from, time, note }) => {
    const start = Math.min(WIDTH - 1, Math.max(0, Math.round((from / end) * WIDTH)));
    const length = Math.max(1, Math.min(WIDTH - start, Math.round((time / end) * WIDTH)));
    return `${label.padEnd(widest)} ${' '.repeat(start)}${'█'.repeat(length)} ${formatTime(time)}${note}`;
  });
}

function toBars(tree: CallTree, { root, indent }: { readonly root: number; readonly indent: string }): Bar[] {
  const { stages = {}, requests = [], inner, startedAt, durationMs = 0, outcome } = tree;
  const from = startedAt - root;
  const bars: Bar[] = [];
  let before = from;
  for (const stage of STAGES) {
    const time = stages[stage];
    if (time === undefined) continue;
    bars.push({ label: `${indent}${stage}`, from: before, time, note: '' });
    before += time;
  }
  for (const { to, at, ms, outcome: ended } of requests)
    bars.push({ label: `${indent}→ ${to}`, from: from + at, time: ms, note: ended === 'ok' ? '' : ` ${ended}` });
  const innerBars = inner.flatMap((one) => toBars(one, { root, indent: `${indent}  ` }));
  if (indent === '') return [...bars, ...innerBars];
  const note = outcome === 'ok' ? '' : ` ${outcome}`;
  // Inner calls show their requests and own inner calls, not each stage.
  const sent = bars.filter(({ label }) => label.includes('→'));
  return [{ label: `${indent.slice(2)}└ ${nameOf(tree)}`, from, time: durationMs, note }, ...sent, ...innerBars];
}

/** Returns the name of the tool, or of the agent's run or step. */
function nameOf({ part, tool, id }: RecordedCall): string {
  if (part === undefined) return tool;
  return part === 'run' ? `agent ${tool}` : `step ${id.slice(id.lastIndexOf('#') + 1)}`;
}

export function toRow(call: RecordedCall): string[] {
  const { id, outcome, by, caller, startedAt, durationMs } = call;
  return [
    showMoment(startedAt).slice(0, 19).replace('T', ' '),
    id,
    nameOf(call),
    outcome,
    durationMs === undefined ? '' : formatTime(durationMs),
    caller === '' ? by : `${by} (${caller})`,
  ];
}

export function formatTime(milliseconds: number): string {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1_000)} µs`;
  return milliseconds < 1_000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** Formats a time as ISO 8601. Lines of other programs may have invalid times. */
export function showMoment(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? 'unknown time' : date.toISOString();
}
