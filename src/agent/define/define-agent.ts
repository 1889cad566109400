import type { Agent, AgentLimits } from './agent.ts';
import { checkAgentSpec } from './check-agent-spec.ts';

/** The options of `defineAgent`; only the name is required. */
export type AgentSpec = Partial<Omit<Agent, 'limits' | 'agents'>> &
  Partial<AgentLimits> & { readonly name: string; readonly agents?: readonly Agent[] };

const DEFAULT_LIMITS: AgentLimits = {
  maxSteps: 20,
  maxCallsPerStep: 64,
  concurrency: 16,
  maxSameFailures: 5,
  modelRetries: 2,
  retryDelay: 1_000,
  maxSilence: 300_000,
  historyTokens: 100_000,
};

/**
 * Defines an agent. Throws `invalid_arguments` for invalid options.
 * @example
 * const helper = defineAgent({
 *   name: 'helper',
 *   model: { provider: 'anthropic', model: 'claude-sonnet-5' },
 *   system: 'You help people of the bakery.',
 *   tools: ['stock_level', { tag: 'orders' }],
 * });
 */
export function defineAgent(spec: AgentSpec): Agent {
  checkAgentSpec(spec);
  const limits = { ...DEFAULT_LIMITS };
  for (const key of Object.keys(limits)) {
    // `DEFAULT_LIMITS` has exactly the keys of `AgentLimits`.
    const name = key as keyof AgentLimits;
    limits[name] = spec[name] ?? limits[name];
  }
  return {
    name: spec.name,
    description: spec.description ?? `The agent ${spec.name}.`,
    model: spec.model,
    system: spec.system,
    tools: spec.tools ?? 'all',
    agents: spec.agents ?? [],
    discovery: spec.discovery ?? 'auto',
    code: spec.code ?? false,
    searchAbove: spec.searchAbove ?? 40,
    pinned: spec.pinned ?? [],
    toolChoice: spec.toolChoice ?? 'auto',
    settings: spec.settings ?? {},
    output: spec.output,
    approval: spec.approval ?? 'none',
    reuseReads: spec.reuseReads ?? true,
    prices: spec.prices,
    limits,
  };
}
