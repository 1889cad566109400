import type { ServerRow, SharedBoardStatus } from '../../features/serving/commands/serve/board-status.ts';
import type { FrontStatus } from '../../features/serving/commands/serve/shared-fronts.ts';
import type { FoundBoard } from '../../mcp/front/board-notice.ts';
import type { BoardState } from '../../mcp/front/board-states.ts';
import { counted } from '../../tool/texts/counted.ts';
import { toCell } from '../shared/print/columns.ts';

/** A running board; without its own part if it does not answer. */
export interface RunningStatus
  extends Pick<FoundBoard, 'pid' | 'version' | 'since' | 'files'>, Partial<SharedBoardStatus> {
  readonly answers: boolean;
}

export type StatusRow = readonly [section: string, key: string, value: string];

export function toStatus({ board: { pid, version, since, files }, status }: BoardState): RunningStatus {
  const notice = { pid, version, since, files, answers: status !== undefined };
  // Written by a board, which may have another version: fields that are missing are not shown.
  return { ...notice, ...(status as Partial<SharedBoardStatus> | undefined) };
}

interface DescribeOptions {
  readonly isVerbose: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Describes a running board, its clients and its servers. */
export function describeBoard(board: RunningStatus, { isVerbose, now }: DescribeOptions): StatusRow[] {
  const { pid, version, since, files, answers, name = '', tools, memory, path } = board;
  const facts = [
    name,
    `version ${version}`,
    tools === undefined ? undefined : counted(tools, 'tool'),
    formatMemory(memory),
    `since ${formatMoment(since)}`,
    answers ? undefined : `does not answer; end it with: kill ${pid}`,
  ];
  const section = `pid ${pid}`;
  const rows: (readonly [key: string, value: string])[] = [
    ['running', joinFacts(facts)],
    ['files', files.join(', ')],
    ...(isVerbose && path !== undefined ? [['PATH', path] as const] : []),
    ...(board.fronts ?? []).map((front) => ['client', describeFront(front)] as const),
    ...(board.servers ?? []).map((server) => ['server', describeServer(server, now)] as const),
  ];
  return rows.map(([key, value]) => [section, key, toCell(value)]);
}

function describeFront({ client, version, pid, folder, since, running }: FrontStatus): string {
  return joinFacts([
    [client, version].filter((part) => part !== undefined).join(' '),
    `pid ${pid}`,
    `in ${folder}`,
    `since ${formatMoment(since)}`,
    running === 0 ? undefined : `${counted(running, 'call')} running`,
  ]);
}

function describeServer(server: ServerRow, now: number): string {
  const { name, state, pid, memory, instances, tools, calls, calledAt, isBusy } = server;
  return joinFacts([
    name,
    state,
    pid === undefined ? undefined : `pid ${pid}`,
    instances > 1 ? counted(instances, 'process', 'processes') : undefined,
    formatMemory(memory),
    tools === undefined ? undefined : counted(tools, 'tool'),
    counted(calls, 'call'),
    isBusy ? 'busy' : calledAt === undefined || state !== 'running' ? undefined : `idle ${formatTime(now - calledAt)}`,
  ]);
}

function joinFacts(facts: readonly (string | undefined)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== '').join(', ');
}

function formatMemory(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

function formatMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

function formatTime(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
