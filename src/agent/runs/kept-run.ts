import { type CallPlace, type RunJob, toPlace } from '../../platform/runs/board-runs.ts';
import type { AgentFailure, AgentResult } from '../loop/agent-result.ts';
import type { KeptBelow } from '../loop/agent-tool.ts';
import { parseUsage, type RunRecord } from './run-record.ts';

/** Returns the place to store the run that a call starts. */
export function keepBelow({ runs, id, suspends }: RunRecord, place: CallPlace, onWait: KeptBelow['onWait']): KeptBelow {
  return { runs, parent: id, id: `${id}/${toPlace(place)}`, suspends, onWait };
}

/** True when a result ends a stored run. A run that was cancelled, or whose model failed, can be resumed. */
export function isEnd({ outcome }: AgentResult, { log }: RunRecord): boolean {
  switch (outcome) {
    case 'waiting':
    case 'interrupted':
    case 'model_failed':
      return false;
    case 'cancelled':
      return log.isCancelled;
    default:
      return log.interruption === undefined;
  }
}

/** The stored end of a run. */
interface KeptResult {
  readonly outcome: AgentFailure | 'completed';
  readonly output?: unknown;
  readonly usage: unknown;
}

/** Stores the end of a run, or the place where it stopped. */
export async function keepEnd(result: AgentResult, record: RunRecord): Promise<void> {
  const { log } = record;
  if (result.outcome === 'interrupted' || log.interruption !== undefined) return;
  const { text, usage, steps } = result;
  if (!result.ok && !isEnd(result, record)) {
    const { reason } = result;
    const isWaiting = result.outcome === 'waiting';
    const waitingFor = isWaiting ? result.waitingFor : [];
    // If the store is unavailable, the run remains as it was.
    const change = { state: isWaiting ? 'waiting' : 'working', info: { waitingFor, reason } } as const;
    await log.append([], change).catch(() => undefined);
    return;
  }
  const kept: KeptResult = {
    ...(result.ok ? { outcome: result.outcome, output: result.output } : { outcome: toFailure(result.outcome) }),
    usage,
  };
  const below = await record.runs.list({ parent: record.id });
  const state = result.ok ? 'done' : result.outcome === 'cancelled' ? 'cancelled' : 'failed';
  await record.runs.end(log, state, {
    facts: { text, ...(result.ok ? {} : { reason: result.reason }) },
    result: kept,
    steps: steps.map(({ number, calls }) => ({
      number,
      calls: calls.map(({ tool, result: answer }, index) => {
        const child = below.find(({ id }) => id === `${record.id}/${toPlace({ step: number, index })}`);
        const outcome = answer.ok ? 'ok' : answer.error.code;
        return { tool, outcome, ...(child === undefined ? {} : { run: child.id }) };
      }),
    })),
  });
}

/** Returns the result of a finished run, without its steps and messages, which are not stored. */
export async function toResult(run: RunJob): Promise<AgentResult> {
  const { state, info } = run.record;
  const { agent, text = '', reason = 'The run was cancelled.' } = info;
  // Written only by `keepEnd`; a run cancelled from outside has none.
  const kept = ((await run.result())?.result ?? { outcome: 'cancelled' }) as KeptResult;
  const parts = { agent, text, steps: [], messages: [], usage: parseUsage(kept.usage) };
  if (state === 'done') return { ...parts, ok: true, outcome: 'completed', output: kept.output };
  const outcome = kept.outcome === 'completed' ? 'cancelled' : kept.outcome;
  return { ...parts, ok: false, outcome, reason, cause: undefined };
}

function toFailure(outcome: AgentFailure | 'waiting'): AgentFailure {
  return outcome === 'waiting' ? 'interrupted' : outcome;
}
