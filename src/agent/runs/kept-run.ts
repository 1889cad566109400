import { toPlace } from '../../platform/runs/run-place.ts';
import type { CallPlace } from '../../platform/runs/run-entry.ts';
import type { RunHeader } from '../../platform/runs/run-entry.ts';
import type { AgentFailure, AgentResult } from '../loop/agent-result.ts';
import type { KeptBelow } from '../loop/run-link.ts';
import { parseUsage } from './answer-state.ts';
import type { RunRecord } from './run-record.ts';

/** How the run that a call begins is kept. */
export function keepBelow({ runs, id, suspends }: RunRecord, place: CallPlace, onWait: KeptBelow['onWait']): KeptBelow {
  return { runs, parent: id, id: `${id}/${toPlace(place)}`, suspends, onWait };
}

/** Whether a result is the end of a kept run. One that was stopped, or whose model failed, can go on. */
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

/** What is kept of how a run ended. */
interface KeptResult {
  readonly outcome: AgentFailure | 'completed';
  readonly output?: unknown;
  readonly usage: unknown;
}

/** Keeps how a run ended, or where it stopped. */
export async function keepEnd(result: AgentResult, record: RunRecord): Promise<void> {
  const { log } = record;
  if (result.outcome === 'interrupted' || log.interruption !== undefined) return;
  const { text, usage, steps } = result;
  if (!result.ok && !isEnd(result, record)) {
    const { reason } = result;
    const isWaiting = result.outcome === 'waiting';
    const waitingFor = isWaiting ? result.waitingFor : [];
    // A store that is away: the run is found as it was.
    await log.append([], { state: isWaiting ? 'waiting' : 'open', waitingFor, reason }).catch(() => undefined);
    return;
  }
  const kept: KeptResult = {
    ...(result.ok ? { outcome: result.outcome, output: result.output } : { outcome: toFailure(result.outcome) }),
    usage,
  };
  const below = await record.runs.list({ parent: record.id });
  await log.end({
    state: result.ok ? 'completed' : result.outcome === 'cancelled' ? 'cancelled' : 'failed',
    text,
    ...(result.ok ? {} : { reason: result.reason }),
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

/** How a run ended that was over before: its answer, without its steps and messages, which are not kept. */
export function toResult({ agent, text = '', reason = '', result, state }: RunHeader): AgentResult {
  // Only `keepEnd` writes it; a run that was cancelled from outside has none.
  const { outcome, output, usage } = (result ?? { outcome: 'cancelled' }) as KeptResult;
  const parts = { agent, text, steps: [], messages: [], usage: parseUsage(usage) };
  if (state === 'completed') return { ...parts, ok: true, outcome: 'completed', output };
  const why = reason === '' ? 'The run was cancelled.' : reason;
  return {
    ...parts,
    ok: false,
    outcome: outcome === 'completed' ? 'cancelled' : outcome,
    reason: why,
    cause: undefined,
  };
}

function toFailure(outcome: AgentFailure | 'waiting'): AgentFailure {
  return outcome === 'waiting' ? 'interrupted' : outcome;
}
