import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { record } from '../feature.ts';
import { type AuditReport, type SinkPoint, toPoint } from '../audit/verify-audit.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { defineCommand, listOption } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

export const auditVerify = defineCommand({
  name: 'audit verify',
  description:
    'Checks that no sealed line of the record was changed, removed, moved or added. The exit code is 1 if one was. Only a comparison with a sink shows lines cut off at the end of a chain.',
  options: {
    against: listOption('FILE', "A sink's file with JSON lines (default: the file that audit.sink names)"),
  },
  examples: [
    ['pegboard audit verify', 'for example every night'],
    ['pegboard audit verify --against /mnt/worm/audit.jsonl', 'compare with the copy of another machine'],
  ],
  board: { mode: 'look' },
  async run({ values, context, board }) {
    const sink = board.feature(record)?.settings.audit.sink;
    const named = values.against.map((file) => resolve(context.cwd, file));
    const files = named.length > 0 || sink?.type !== 'file' ? named : [sink.path];
    const report = await board.audit.verify({ heads: () => readHeads(files) });
    return {
      data: { ...report, against: files },
      view: (style) => describeReport(report, files, style),
      exitCode: report.ok ? 0 : 1,
    };
  },
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
        throw new UsageError(`There is no file ${file}. Name the sink's file with --against.`, 'audit verify');
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
  const isCompared = files.length > 0 ? 'Compared with the sink.' : 'Only a sink can tell: --against FILE.';
  const ends = 'without an end: the process is running, was killed, or the last lines were cut off.';
  return [
    ...problems.map(
      ({ type, chain, message }) => `${style.red(type)}  ${message}${chain === '' ? '' : ` (chain ${chain})`}`,
    ),
    `${count(lines, 'line')} in ${count(chains, 'chain')}: ${ok ? 'all unchanged' : 'not unchanged'}.`,
    ...(retired > 0 ? [`${count(retired, 'line')} removed by the board itself, with a signature.`] : []),
    ...(unsealed > 0 ? [`${count(unsealed, 'line')} without a seal: changes cannot be detected.`] : []),
    ...(open.length > 0 ? [`${count(open.length, 'chain')} ${ends} ${isCompared}`] : []),
  ];
}
