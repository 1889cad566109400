import type { ToolExecutor } from '../../../pipeline/tool-executor.ts';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

interface ToolCounts {
  readonly outcomes: Map<string, number>;
  /** How many calls took at most as long as each bucket says. */
  readonly buckets: number[];
  count: number;
  sum: number;
}

/** Counts calls by tool and how they ended, for Prometheus. */
export class CallMetrics {
  readonly #tools = new Map<string, ToolCounts>();
  readonly #executor: ToolExecutor;
  readonly #stop: readonly (() => void)[];
  #running = 0;

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
    this.#stop = [
      executor.on('call:started', () => void this.#running++),
      executor.on('call:finished', ({ tool, result }) => {
        this.#running--;
        // Calls of tools that do not exist must not make series without end.
        const outcome = result.ok ? 'ok' : result.error.code;
        this.#note(outcome === 'not_found' ? '(unknown)' : tool, outcome, (result.meta.durationMs ?? 0) / 1000);
      }),
    ];
  }

  /** What `/metrics` answers: the tools that the caller may see, and the server's own figures. */
  format(gauges: Readonly<Record<string, number>>, isShown: (tool: string) => boolean): string {
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
    for (const [name, value] of Object.entries({ pegboard_calls_in_flight: this.#running, ...gauges })) {
      lines.push(`# TYPE ${name} gauge`, `${name} ${value}`);
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

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
