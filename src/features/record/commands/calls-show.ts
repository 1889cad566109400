import { refuse } from '../../../cli/shared/cli-context.ts';
import { alignColumns } from '../../../cli/shared/print/columns.ts';
import { defineCommand } from '../../../cli/shared/command.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { type CallTree, drawWaterfall, formatTime, readCallTree, toRow, showMoment } from './call-tree.ts';

export const callsShow = defineCommand({
  name: 'calls show',
  description: 'Shows everything that is recorded of a call, where its time went, and its inner calls.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard calls`', required: true }],
  examples: [['pegboard calls show 5f0c2a91d3-4', 'one call']],
  board: { mode: 'look' },
  async run({ positionals: [id = ''], context, board }) {
    const call = await board.calls.get(id);
    if (call === undefined) return refuse(context, `There is no recorded call "${id}". List them with: pegboard calls`);
    const tree = await readCallTree(board.calls, call);
    // The caller did not get this reason: it must not learn of tools that it cannot use.
    const denied = call.outcome === 'not_found' ? board.registry.absent?.denial(call.tool) : undefined;
    const explained = await Promise.all(board.features.map(async ({ explain }) => (await explain?.(id)) ?? []));
    const features = Object.fromEntries(explained.flat());
    return {
      data: {
        ...tree,
        ...(explained.flat().length === 0 ? {} : { features }),
        ...(denied === undefined ? {} : { denied }),
      },
      view: (style, width) => [
        ...describeCall(tree, style),
        ...alignColumns(explained.flat(), width),
        ...(denied === undefined ? [] : [`The tool is not on the board: ${denied}.`]),
      ],
    };
  },
});

/** Describes a call and its inner calls as lines and rows. */
function describeCall(call: CallTree, style: TextStyle): (string | string[])[] {
  const { inner } = call;
  const facts: [string, string | undefined][] = [
    [call.part ?? 'call', call.id],
    [
      call.part === undefined ? 'tool' : 'agent',
      [call.tool, call.kind, call.source].filter((part) => part !== undefined).join(' · '),
    ],
    ['by', call.caller === '' ? call.by : `${call.by} (${call.caller})`],
    ['client', call.client === undefined ? undefined : [call.client.name, call.client.version].join(' ').trim()],
    ['inside', call.parent],
    ['started', showMoment(call.startedAt)],
    ['outcome', call.outcome],
    ['attempts', call.attempts === undefined || call.attempts === 1 ? undefined : String(call.attempts)],
    ...(call.failedAttempts ?? []).map(({ attempt, at, ms, outcome, message }): [string, string] => [
      `attempt ${attempt}`,
      `${showMoment(at)} ${outcome} after ${formatTime(ms)}${message === undefined ? '' : `: ${message}`}`,
    ]),
    ['steps', call.steps === undefined ? undefined : String(call.steps)],
    ['usage', call.usage === undefined ? undefined : JSON.stringify(call.usage)],
    ['output', call.outputChars === undefined ? undefined : `${call.outputChars} characters`],
    ...(call.approvals ?? []).map(({ type, at, facts }): [string, string] => [
      type,
      `${showMoment(at)} ${JSON.stringify(facts)}`,
    ]),
    ['arguments', call.args],
    ['result', call.result],
  ];
  const rows = facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));
  return [
    ...rows,
    ...(call.durationMs === undefined ? [] : ['', ...drawWaterfall(call)]),
    ...(inner.length === 0 ? [] : ['', style.bold('Inside')]),
    ...inner.flatMap((one) => toRows(one, '')),
  ];
}

/** Makes rows for a call and its inner calls, each level indented. */
function toRows(call: CallTree, indent: string): string[][] {
  const [time = '', id = '', name = '', ...rest] = toRow(call);
  return [[time, id, `${indent}${name}`, ...rest], ...call.inner.flatMap((one) => toRows(one, `${indent}  `))];
}
