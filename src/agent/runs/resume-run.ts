import { type BoardLike, toBoardParts } from '../../discovery/board-like.ts';
import { clientOf, OWNER_KEY } from '../../tool/calls/call-owner.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { RunInfo, RunJob, RunListOptions } from '../../platform/runs/board-runs.ts';
import { type AgentSource, parseAgent } from '../define/define-agent.ts';
import type { Agent } from '../define/agent.ts';
import type { RunOptions } from '../define/run-options.ts';
import type { AgentResult } from '../loop/agent-result.ts';
import { type AgentStream, toStream } from '../loop/run-agent.ts';
import { continueRun, runsOf } from './execute-run.ts';

/** Options for resuming a run. */
export interface ResumeOptions extends Omit<RunOptions, 'board' | 'run' | 'messages'> {
  /** The agent of the run. Default: the agent of that name in the board's files. */
  readonly agent?: AgentSource | undefined;
}

/**
 * Resumes an interrupted or waiting run from its last stored step, in this or any other process of the board. A finished run returns its
 * answer.
 *
 * Throws `not_found` for an unknown id, and `busy` while another process works on the run.
 * @example
 * for (const { id } of await listRuns(board, { status: 'interrupted' })) await resumeRun(board, id, { agent: helper });
 */
export async function resumeRun(board: BoardLike, id: string, options: ResumeOptions = {}): Promise<AgentResult> {
  return resume(board, id, { ...options, isStreamed: false });
}

/** Resumes a run like `resumeRun`, and streams its events. */
export function streamRun(board: BoardLike, id: string, options: ResumeOptions = {}): AgentStream {
  return toStream((onEvent) => resume(board, id, { ...options, onEvent, isStreamed: true }), options);
}

/** Lists the stored runs of a board, newest first. Runs started by calls of other runs are only listed with `parent`. */
export async function listRuns(board: BoardLike, options?: RunListOptions): Promise<RunInfo[]> {
  return runsOf(board, 'listRuns').list(options);
}

async function resume(
  board: BoardLike,
  id: string,
  { agent: given, onApproval, isStreamed, ...options }: ResumeOptions & { readonly isStreamed: boolean },
): Promise<AgentResult> {
  const runs = runsOf(board, 'resumeRun');
  const known = await runs.get(id);
  if (known?.parent !== undefined) {
    const message = `The run "${id}" belongs to a call of the run "${known.parent}". Resume that one.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'run' });
  }
  const log = await runs.open(id);
  let agent: Agent;
  let context: ToolContext;
  try {
    const { info } = log.record;
    agent = given === undefined ? await findAgent(board, info.agent, id) : parseAgent(given);
    if (agent.name !== info.agent) throw otherAgent(agent.name, info.agent, id);
    context = asCaller(options.context, log.record);
  } catch (error) {
    await log.release();
    throw error;
  }
  return continueRun(agent, log, { ...options, context, board, runs, isStreamed, suspends: onApproval === 'suspend' });
}

/** Returns a context for the run's original caller: another caller must not resume it with its own logins and rights. */
function asCaller(given: RunOptions['context'], { id, owner: caller }: RunJob['record']): ToolContext {
  const context = ToolContext.from(given);
  const { user } = clientOf(context);
  if (user === caller) return context;
  if (user === '') return context.mergeMetadata({ [OWNER_KEY]: caller });
  const message = `The run "${id}" does not belong to the caller "${user}".`;
  throw new ToolError({ code: 'permission_denied', message, field: 'run' });
}

async function findAgent(board: BoardLike, name: string, id: string): Promise<Agent> {
  const { readAgents } = await import('../define/read-agents.ts');
  const { files = [] } = toBoardParts(board, 'resumeRun');
  const agent = readAgents({ files: files.filter(isLoaded) }).get(name);
  if (agent !== undefined) return agent;
  const message = `The agent "${name}" of the run "${id}" is not in the board's files. Pass it: resumeRun(board, '${id}', { agent })`;
  throw new ToolError({ code: 'not_found', message, field: 'agent' });
}

/** Files of `openBoard` have agents; other boards may have files with fewer fields. */
function isLoaded(file: object): file is LoadedFile {
  return 'agents' in file && 'file' in file;
}

function otherAgent(given: string, own: string, id: string): ToolError {
  const message = `The run "${id}" belongs to the agent "${own}"; got the agent "${given}".`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'agent' });
}
