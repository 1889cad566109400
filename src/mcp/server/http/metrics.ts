import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { BoardParts } from '../../../discovery/board-like.ts';
import type { Caller } from '../caller.ts';
import { respondText } from './respond.ts';
import type { ToolExecutor } from '../../../pipeline/tool-executor.ts';
import { unlessAborted } from '../../../platform/unless-aborted.ts';
import { clientOf, describeCaller } from '../../../tool/calls/call-owner.ts';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

interface ToolCounts {
  readonly outcomes: Map<string, number>;
  /** Calls that took at most as long as each bucket. */
  readonly buckets: number[];
  count: number;
  sum: number;
}

/** Callers with their own series; the others are counted together. */
const MOST_CALLERS = 100;
const OTHERS = '(others)';

/** Counts calls by tool, caller and outcome, for Prometheus. */
export class CallMetrics {
  readonly #tools = new Map<string, ToolCounts>();
  readonly #callers = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #executor: ToolExecutor;
  readonly #stop: readonly (() => void)[];
  #running = 0;

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
    this.#stop = [
      executor.on('call:started', ({ context }) => {
        this.#running++;
        const { user } = clientOf(context);
        const name = user === '' ? describeCaller(context) : user;
        count(this.#callers, this.#callers.has(name) || this.#callers.size < MOST_CALLERS ? name : OTHERS);
      }),
      executor.on('call:finished', ({ tool, result }) => {
        this.#running--;
        // Unknown names must not create unbounded series.
        const outcome = result.ok ? 'ok' : result.error.code;
        this.#note(outcome === 'not_found' ? '(unknown)' : tool, outcome, (result.meta.durationMs ?? 0) / 1000);
      }),
    ];
  }

  /** Counts a refused request. */
  refuse(status: number): void {
    count(this.#refusals, String(status));
  }

  get hasCalls(): boolean {
    return this.#tools.size > 0;
  }

  /** Formats the answer of `/metrics`: tools that the caller may see, figures of the board, and callers if it may see them. */
  format(families: readonly MetricFamily[], { isShown, isAll }: MetricsView): string {
    const tools = [...this.#tools].filter(([tool]) => isShown(tool));
    const label = (tool: string): string => escape(this.#executor.redactor.text(tool));
    const lines = ['# HELP pegboard_calls_total Calls by tool and outcome.', '# TYPE pegboard_calls_total counter'];
    for (const [tool, { outcomes }] of tools) {
      for (const [outcome, count] of outcomes) {
        lines.push(`pegboard_calls_total{tool="${label(tool)}",outcome="${outcome}"} ${count}`);
      }
    }
    lines.push(
      '# HELP pegboard_call_duration_seconds How long calls took.',
      '# TYPE pegboard_call_duration_seconds histogram',
    );
    for (const [tool, { buckets, count, sum }] of tools) {
      const name = label(tool);
      for (const [index, limit] of BUCKETS.entries()) {
        lines.push(`pegboard_call_duration_seconds_bucket{tool="${name}",le="${limit}"} ${buckets[index] ?? 0}`);
      }
      lines.push(
        `pegboard_call_duration_seconds_bucket{tool="${name}",le="+Inf"} ${count}`,
        `pegboard_call_duration_seconds_sum{tool="${name}"} ${sum}`,
        `pegboard_call_duration_seconds_count{tool="${name}"} ${count}`,
      );
    }
    const toSamples = (counts: Map<string, number>, key: string): MetricFamily['samples'] =>
      [...counts].map(([name, value]) => [{ [key]: name }, value] as const);
    const own: MetricFamily[] = [
      { name: 'pegboard_calls_in_flight', type: 'gauge', help: 'Calls that run.', samples: [[{}, this.#running]] },
      {
        name: 'pegboard_http_refused_total',
        type: 'counter',
        help: 'Requests that were not let in, by status.',
        samples: toSamples(this.#refusals, 'status'),
      },
      {
        name: 'pegboard_caller_calls_total',
        type: 'counter',
        help: 'Calls by caller.',
        samples: isAll ? toSamples(this.#callers, 'caller') : [],
      },
    ];
    for (const { name, type, help, samples } of [...own, ...families]) {
      if (samples.length === 0) continue;
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const [labels, value] of samples) {
        const shown = Object.entries(labels).map(([key, text]) => `${key}="${label(text)}"`);
        lines.push(`${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  #note(tool: string, outcome: string, seconds: number): void {
    let counts = this.#tools.get(tool);
    if (counts === undefined) {
      counts = { outcomes: new Map(), buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
      this.#tools.set(tool, counts);
    }
    counts.outcomes.set(outcome, (counts.outcomes.get(outcome) ?? 0) + 1);
    counts.count += 1;
    counts.sum += seconds;
    for (const [index, limit] of BUCKETS.entries())
      if (seconds <= limit) counts.buckets[index] = (counts.buckets[index] ?? 0) + 1;
  }
}

interface MetricsView {
  readonly isShown: (tool: string) => boolean;
  /** True when the reader may see everything, including callers. */
  readonly isAll: boolean;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

interface MetricsSource {
  readonly board: BoardParts;
  readonly metrics: CallMetrics;
  readonly needsToken: boolean;
  readonly sessions: number;
  readonly running: number;
}

/** Prometheus's content type. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Answers `/metrics` with the figures that the caller may see. */
export async function respondMetrics(
  response: ServerResponse,
  { access, isAnonymous }: Caller,
  { board, metrics, needsToken, sessions, running }: MetricsSource,
): Promise<void> {
  const isAll = access.key === '' && (isAnonymous !== true || !needsToken);
  const families = [
    gauge('pegboard_sessions', 'Sessions of clients.', [[{}, sessions]]),
    gauge('pegboard_requests_in_flight', 'Requests under way.', [[{}, running]]),
    // Servers and callers are for unrestricted readers; reading figures must not create a store.
    ...(isAll ? await readBoardMetrics(board, { usesStore: metrics.hasCalls }) : []),
  ];
  // A tool outside of the caller's rights does not exist for it, not even by name.
  const isShown = (name: string): boolean => {
    const tool = board.registry.get(name);
    return tool === undefined ? access.key === '' : access.allows(tool);
  };
  respondText(response, metrics.format(families, { isShown, isAll }), { type: METRICS_TYPE });
}

/** Figures with one name. */
interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** Milliseconds for a store to answer before it counts as unavailable. */
const PATIENCE = 2_000;

/** Reads figures of the board: its servers, running and waiting commands, its store. */
async function readBoardMetrics(
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

/** Returns true when the store exists: reading figures must not create the file. */
function isMade({ address }: NonNullable<BoardParts['store']>): boolean {
  return address.startsWith('postgres') || existsSync(address);
}

/** Reads figures from the store, which also shows that it answers. */
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

function gauge(name: string, help: string, samples: MetricFamily['samples']): MetricFamily {
  return { name, type: 'gauge', help, samples };
}
