import type { Tool } from '../../tool/tool.ts';
import { type AgentSource, parseAgent } from '../define/agent-definition.ts';
import type { AgentResult } from './agent-result.ts';
import { type AgentToolOptions, makeAgentTool } from './agent-tool.ts';
import { executeRun, runBelow } from '../runs/execute-run.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';

/**
 * Runs an agent to its answer, and returns the answer with everything done for it.
 *
 * Failures of the model or of tools are results with an `outcome`; only misuse throws, such as a missing key.
 * @example
 * const result = await runAgent(helper, 'How much flour is there?', { board });
 * if (result.ok) console.log(result.text);
 */
export async function runAgent(agent: AgentSource, input: AgentInput, options: RunOptions = {}): Promise<AgentResult> {
  return executeRun(parseAgent(agent), input, options);
}

/**
 * Makes a tool of an agent, for a board or for other agents; the agent's tools come from the given board.
 *
 * `approve` is called when the agent's `approval` requires that and the calling run has no `approve` of its own. Default: the
 * board asks.
 */
export function agentAsTool(agent: AgentSource, options: AgentToolOptions = {}): Tool {
  return makeAgentTool(parseAgent(agent), runBelow, options);
}
