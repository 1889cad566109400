import { type BoardLike, toBoardParts } from '../../discovery/board-like.ts';
import { clientOf, OWNER_KEY } from '../../tool/calls/call-owner.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { RunInfo, RunListOptions } from '../../platform/runs/board-runs.ts';
import type { RunJob } from '../../platform/runs/run-entry.ts';
import { type AgentSource, parseAgent } from '../define/agent-definition.ts';
import type { Agent } from '../define/agent.ts';
import type { RunOptions } from '../define/run-options.ts';
import type { AgentResult } from '../loop/agent-result.ts';
import { type AgentStream, toStream } from '../loop/stream-agent.ts';
import { goOn, runsOf } from './execute-run.ts';

/** How a run goes on. */
export interface ResumeOptions extends Omit<RunOptions, 'board' | 'run' | 'messages'> {
  /** The agent of the run. Default: the one of the board's files with its name. */
  readonly agent?: AgentSource | undefined;
}

/**
 * Goes on with a run that was interrupted or waits, from its last kept step, in this or any other process of the board. A run that
 * has ended gives its answer.
 *
 * Throws `not_found` for an id without a run, and `busy` while another process works on it.
 *
 * @example
 * for (const { id } of await listRuns(board, { status: 'interrupted' })) await resumeRun(board, id, { agent: helper });
 */
export async function resumeRun(board: BoardLike, id: string, options: ResumeOptions = {}): Promise<AgentResult> {
  return resume(board, id, { ...options, isStreamed: false });
}

/** Goes on with a run as `resumeRun` does, and tells what happens while it happens. */
export function streamRun(board: BoardLike, id: string, options: ResumeOptions = {}): AgentStream {
  return toStream((onEvent) => resume(board, id, { ...options, onEvent, isStreamed: true }), options);
}

/** The runs that a board keeps, the newest first; those that calls of others began are left out unless `parent` names one. */
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
    const message = `The run "${id}" belongs to a call of the run "${known.parent}". Go on with that one.`;
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
  return goOn(agent, log, { ...options, context, board, runs, isStreamed, suspends: onApproval === 'suspend' });
}

/** A context for calls of the run's caller: what one caller began does not go on with the logins and rights of another. */
function asCaller(given: RunOptions['context'], { id, owner: caller }: RunJob['record']): ToolContext {
  const context = ToolContext.from(given);
  const { user } = clientOf(context);
  if (user === caller) return context;
  if (user === '') return context.mergeMetadata({ [OWNER_KEY]: caller });
  const message = `The run "${id}" is not one of the caller "${user}".`;
  throw new ToolError({ code: 'permission_denied', message, field: 'run' });
}

/** The agent of a board's files with this name. */
async function findAgent(board: BoardLike, name: string, id: string): Promise<Agent> {
  const { readAgents } = await import('../define/read-agents.ts');
  const { files = [] } = toBoardParts(board, 'resumeRun');
  const agent = readAgents({ files: files.filter(isLoaded) }).get(name);
  if (agent !== undefined) return agent;
  const message = `The agent "${name}" of the run "${id}" is not in the board's files. Give it: resumeRun(board, '${id}', { agent })`;
  throw new ToolError({ code: 'not_found', message, field: 'agent' });
}

/** Files of `openBoard` have agents; parts of a board may have files that say less. */
function isLoaded(file: object): file is LoadedFile {
  return 'agents' in file && 'file' in file;
}

function otherAgent(given: string, own: string, id: string): ToolError {
  const message = `The run "${id}" is one of the agent "${own}"; got the agent "${given}".`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'agent' });
}
