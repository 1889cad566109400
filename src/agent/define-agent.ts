import { describeValue } from '../core/describe-value.ts';
import { ToolError } from '../core/tool-error.ts';
import type { Agent, AgentLimits } from './agent.ts';

/** What `defineAgent` takes: only the name is needed. */
export type AgentSpec = Partial<Omit<Agent, 'limits' | 'agents'>> &
  Partial<AgentLimits> & { readonly name: string; readonly agents?: readonly Agent[] };

const DEFAULT_LIMITS: AgentLimits = {
  maxSteps: 20,
  maxCallsPerStep: 64,
  concurrency: 16,
  maxSameFailures: 5,
  modelRetries: 2,
  retryDelay: 1_000,
  historyTokens: 100_000,
};

const LEAST: Readonly<Record<keyof AgentLimits, number>> = {
  maxSteps: 1,
  maxCallsPerStep: 1,
  concurrency: 1,
  maxSameFailures: 1,
  modelRetries: 0,
  retryDelay: 0,
  historyTokens: 1_000,
};

/**
 * Defines an agent. Throws `invalid_arguments` for settings that make no sense.
 *
 * @example
 * const helper = defineAgent({
 *   name: 'helper',
 *   model: { provider: 'anthropic', model: 'claude-sonnet-5' },
 *   system: 'You help people of the bakery.',
 *   tools: ['stock_level', { tag: 'orders' }],
 * });
 */
export function defineAgent(spec: AgentSpec): Agent {
  checkName(spec.name);
  const limits = { ...DEFAULT_LIMITS };
  for (const key of Object.keys(LEAST)) {
    // The keys of LEAST are those of the limits.
    const name = key as keyof AgentLimits;
    const value = spec[name];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= LEAST[name])) {
      throw refuse(spec.name, name, `must be a number, ${LEAST[name]} or more; got ${describeValue(value)}`);
    }
    limits[name] = value;
  }
  return {
    name: spec.name,
    description: spec.description ?? `The agent ${spec.name}.`,
    model: spec.model,
    system: spec.system,
    tools: spec.tools ?? 'all',
    agents: spec.agents ?? [],
    discovery: spec.discovery ?? 'auto',
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

function checkName(name: unknown): void {
  if (typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw refuse(String(name), 'name', `must be 1 to 64 of A-Z a-z 0-9 _ -; got ${describeValue(name)}`);
}

function refuse(agent: string, field: string, reason: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `The agent "${agent}" cannot be made: ${field} ${reason}.`,
    field,
    reason,
  });
}
