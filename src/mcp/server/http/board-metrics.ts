import { existsSync } from 'node:fs';
import type { BoardParts } from '../../../discovery/board-like.ts';
import { unlessAborted } from '../../../platform/unless-aborted.ts';

/** Figures under one name. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** Each with its labels. */
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** Milliseconds that a store has to answer before it counts as away. */
const PATIENCE = 2_000;

/** Figures of the board behind a server: its other servers, the commands that run and wait, its store. */
export async function readBoardMetrics(
  board: BoardParts,
  { usesStore }: { readonly usesStore: boolean },
): Promise<MetricFamily[]> {
  const { servers = [], processes, store } = board;
  const of = (value: (server: (typeof servers)[number]) => number): MetricFamily['samples'] =>
    servers.map((server) => [{ server: server.name }, value(server)] as const);
  return [
    gauge(
      'pegboard_server_up',
      'Whether an MCP server of the board runs.',
      of(({ state }) => Number(state === 'running')),
    ),
    gauge(
      'pegboard_server_failing',
      'Whether the last start of a server failed.',
      of(({ failure }) => Number(failure !== undefined)),
    ),
    gauge(
      'pegboard_server_instances',
      'Processes of a server, or connections to it.',
      of(({ instances = 0 }) => instances),
    ),
    {
      ...gauge(
        'pegboard_server_starts_total',
        'Starts of a server.',
        of(({ starts = 0 }) => starts),
      ),
      type: 'counter' as const,
    },
    ...(processes === undefined
      ? []
      : [
          gauge('pegboard_processes_running', 'Commands that run.', [[{}, processes.running]]),
          gauge('pegboard_processes_waiting', 'Calls that wait for a place to run a command.', [
            [{}, processes.waiting],
          ]),
        ]),
    ...(store === undefined ? [] : usesStore || isMade(store) ? await readStore(board) : [waitingGauge(0)]),
  ].filter(({ samples }) => samples.length > 0);
}

/** Returns true when the store exists: a missing file holds nothing, and reading figures must not create it. */
function isMade({ address }: NonNullable<BoardParts['store']>): boolean {
  return address.startsWith('postgres') || existsSync(address);
}

/** Reads the store's figures, which also shows that it answers. */
async function readStore({ approvals }: BoardParts): Promise<MetricFamily[]> {
  const start = performance.now();
  try {
    const asked = Promise.resolve(approvals?.list({ status: 'waiting' }) ?? []);
    const waiting = (await unlessAborted(asked, AbortSignal.timeout(PATIENCE))).length;
    return [
      gauge('pegboard_store_up', 'Whether the store of the board answers.', [[{}, 1]]),
      gauge('pegboard_store_seconds', 'How long the store took to answer.', [
        [{}, (performance.now() - start) / 1_000],
      ]),
      waitingGauge(waiting),
    ];
  } catch {
    return [gauge('pegboard_store_up', 'Whether the store of the board answers.', [[{}, 0]])];
  }
}

function waitingGauge(waiting: number): MetricFamily {
  return gauge('pegboard_approvals_waiting', 'Calls that wait for a person.', [[{}, waiting]]);
}

/** A family of figures that go up and down. */
export function gauge(name: string, help: string, samples: MetricFamily['samples']): MetricFamily {
  return { name, type: 'gauge', help, samples };
}
