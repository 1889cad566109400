import { clientOf } from '../../tool/calls/call-owner.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { toBoardParts } from '../../discovery/board-like.ts';
import type { BoardRuns, RunJob } from '../../platform/runs/board-runs.ts';
import type { Agent } from '../define/agent.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';
import { AgentLoop } from '../loop/agent-loop.ts';
import type { AgentResult } from '../loop/agent-result.ts';
import type { KeptBelow, RunBelow, RunLink } from '../loop/agent-tool.ts';
import { prepareRun } from '../loop/prepare-run.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import { openSession } from '../session/agent-session.ts';
import { keepEnd, toResult } from './kept-run.ts';
import { RunRecord } from './run-record.ts';

export type ExecuteOptions = RunOptions & {
  readonly isStreamed?: boolean;
  readonly link?: RunLink;
  /** The place to store the run, when the run above is stored. */
  readonly kept?: KeptBelow;
};

/** Runs an agent, and stores the run if asked to. */
export async function executeRun(
  agent: Agent,
  input: AgentInput,
  { isStreamed = false, kept, ...options }: ExecuteOptions,
): Promise<AgentResult> {
  const id = kept?.id ?? options.run;
  if (id === undefined) {
    const run = await prepareRun(agent, input, { ...options, runBelow });
    return new AgentLoop(run, { isStreamed }).run();
  }
  const runs = kept?.runs ?? runsOf(options.board, 'RunOptions.run');
  const session = options.session?.name;
  const log = await runs.open(id, {
    agent: agent.name,
    input,
    history: options.messages ?? [],
    caller: clientOf(ToolContext.from(options.context)).user,
    session: session === '' ? undefined : session,
    parent: kept?.parent,
  });
  return continueRun(agent, log, {
    ...options,
    isStreamed,
    runs,
    suspends: kept?.suspends ?? options.onApproval === 'suspend',
  });
}

type ContinueOptions = Omit<ExecuteOptions, 'kept' | 'run' | 'messages'> & {
  readonly runs: BoardRuns;
  readonly suspends: boolean;
};

/** Continues a run that this process has claimed, then releases it. */
export async function continueRun(
  agent: Agent,
  log: RunJob,
  { runs, suspends, isStreamed = false, ...options }: ContinueOptions,
): Promise<AgentResult> {
  try {
    if (log.isOver) return await toResult(log);
    const start = log.entries.find((entry) => entry.type === 'input') ?? { input: [], history: [] };
    // Only `executeRun` starts runs of agents.
    const { input, history } = start as { readonly input: AgentInput; readonly history: readonly ModelMessage[] };
    const record = new RunRecord(log, runs, suspends);
    const signal = options.signal === undefined ? log.signal : AbortSignal.any([options.signal, log.signal]);
    const session = options.session ?? sessionOf(log, options);
    const run = await prepareRun(agent, input, { ...options, session, messages: history, signal, runBelow });
    const result = await new AgentLoop(run, { isStreamed, record }).run();
    await keepEnd(result, record);
    return result;
  } finally {
    await log.release();
  }
}

/** Runs agents below others, without streaming. */
export const runBelow: RunBelow = (agent, input, options) => executeRun(agent, input, options);

/** Returns the stored runs of a board. Throws for a board without a store; `where` names the function that needs it. */
export function runsOf(board: RunOptions['board'], where: string): BoardRuns {
  const { runs } = board === undefined ? {} : toBoardParts(board, where);
  if (runs !== undefined) return runs;
  const message = `${where} needs a board of openBoard, which has a store for runs.`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'board' });
}

/** Returns the session that a run belongs to. */
function sessionOf({ record: { info } }: RunJob, { board }: Pick<RunOptions, 'board'>): RunOptions['session'] {
  const store = board === undefined ? undefined : toBoardParts(board, 'RunOptions.board').store;
  return info.session === undefined || store === undefined ? undefined : openSession(store, info.session);
}
