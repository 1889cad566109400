import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { record } from '../../../features/record/feature.ts';
import { type AuditReport, type SinkPoint, toPoint } from '../../../features/record/audit/verify-audit.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import type { TextStyle } from '../../print/style.ts';

export const auditVerify = defineCommand({
  name: 'audit verify',
  description:
    'Checks every sealed line of the record: whether one was changed, removed, moved or added. The exit code is 1 when one was. Lines cut off at the end of a chain show only by comparing with a sink.',
  options: {
    ...FILE_OPTION,
    against: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      description: 'A file of the sink, or JSON lines of it. Default: the file that audit.sink names',
    },
  },
  examples: [
    ['pegboard audit verify', 'nightly'],
    ['pegboard audit verify --against /mnt/worm/audit.jsonl', 'with what another machine has'],
  ],
  run: ({ values, context }) =>
    useBoard(values.file, { context, mode: 'look' }, async (board) => {
      const sink = board.feature(record)?.settings.audit.sink;
      const named = values.against.map((file) => resolve(context.cwd, file));
      const files = named.length > 0 || sink?.type !== 'file' ? named : [sink.path];
      const report = await board.audit.verify({ heads: () => readHeads(files) });
      return {
        data: { ...report, against: files },
        view: (style) => describeReport(report, files, style),
        exitCode: report.ok ? 0 : 1,
      };
    }),
});

async function* readHeads(files: readonly string[]): AsyncGenerator<SinkPoint> {
  for (const file of files) {
    try {
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const point = readHead(line);
        if (point !== undefined) yield point;
      }
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
        throw new UsageError(`There is no file ${file}. Name the sink's with --against.`, 'audit verify');
      throw cause;
    }
  }
}

/** Reads a sink's line; `undefined` for other lines. */
function readHead(line: string): SinkPoint | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    const point = toPoint(parsed);
    if (point === undefined || !isPlainObject(parsed)) return undefined;
    return { ...point, at: typeof parsed['at'] === 'number' ? parsed['at'] : Infinity };
  } catch {
    return undefined;
  }
}

function describeReport(report: AuditReport, files: readonly string[], style: TextStyle): string[] {
  const { ok, problems, lines, chains, unsealed, retired, open } = report;
  const count = (amount: number, what: string): string => `${amount} ${what}${amount === 1 ? '' : 's'}`;
  const isCompared = files.length > 0 ? 'Compared with the sink.' : 'Only a sink shows which: --against FILE.';
  const ends = 'without an end: the process runs, was killed, or the last lines were cut off.';
  return [
    ...problems.map(
      ({ type, chain, message }) => `${style.red(type)}  ${message}${chain === '' ? '' : ` (chain ${chain})`}`,
    ),
    `${count(lines, 'line')} in ${count(chains, 'chain')}: ${ok ? 'all' : 'not'} as they were written.`,
    ...(retired > 0 ? [`${count(retired, 'line')} removed by the board itself, which signed for it.`] : []),
    ...(unsealed > 0 ? [`${count(unsealed, 'line')} without a seal, which nothing is known of.`] : []),
    ...(open.length > 0 ? [`${count(open.length, 'chain')} ${ends} ${isCompared}`] : []),
  ];
}
