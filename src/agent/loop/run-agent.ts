import type { Tool } from '../../tool/tool.ts';
import { type AgentSource, parseAgent } from '../define/agent-definition.ts';
import type { AgentResult } from './agent-result.ts';
import { type AgentToolOptions, makeAgentTool } from './agent-tool.ts';
import { executeRun, runBelow } from '../runs/execute-run.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';

/**
 * Runs an agent until it has an answer, and gives that answer with everything that was done for it.
 *
 * A failure of the model or of tools is a result with an `outcome`; only misuse throws, such as a missing key.
 *
 * @example
 * const result = await runAgent(helper, 'How much flour is there?', { board });
 * if (result.ok) console.log(result.text);
 */
export async function runAgent(agent: AgentSource, input: AgentInput, options: RunOptions = {}): Promise<AgentResult> {
  return executeRun(parseAgent(agent), input, options);
}

/**
 * An agent as a tool for a board or for other agents; its tools come from the board that is given here.
 *
 * `approve` is asked where the agent's `approval` wants that and the run that calls it has no `approve` of its own. Default: whoever
 * the board asks.
 */
export function agentAsTool(agent: AgentSource, options: AgentToolOptions = {}): Tool {
  return makeAgentTool(parseAgent(agent), runBelow, options);
}
