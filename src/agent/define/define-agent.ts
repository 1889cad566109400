import { ToolError } from '../../tool/tool-error.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { isPlainObject } from '../../tool/json.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import type { Agent, AgentLimits } from './agent.ts';

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

const LEAST: Readonly<Record<keyof AgentLimits, number>> = {
  maxSteps: 1,
  maxCallsPerStep: 1,
  concurrency: 1,
  maxSameFailures: 1,
  modelRetries: 0,
  retryDelay: 0,
  maxSilence: 1,
  historyTokens: 1_000,
};

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  discovery: ['auto', 'always', 'never'],
  approval: ['none', 'destructive', 'write', 'all'],
};

const LISTS = ['agents', 'pinned'];
const OTHERS = ['name', 'description', 'model', 'system', 'tools', 'searchAbove', 'toolChoice', 'settings', 'output'];
const KNOWN = [...OTHERS, 'code', 'reuseReads', 'prices', ...LISTS, ...Object.keys(CHOICES), ...Object.keys(LEAST)];

/** Throws for invalid options of `defineAgent`, which untyped code can pass. */
function checkAgentSpec(spec: unknown): void {
  if (!isPlainObject(spec)) throw refuse('', 'definition', `must be an object; got ${describeValue(spec)}`);
  const { name } = spec;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw refuse(String(name), 'name', `must be 1 to 64 of A-Z a-z 0-9 _ -; got ${describeValue(name)}`);
  for (const [key, value] of Object.entries(spec)) {
    const fault = value === undefined && KNOWN.includes(key) ? undefined : faultOf(key, value);
    if (fault !== undefined) throw refuse(name, key, fault);
  }
}

function faultOf(key: string, value: unknown): string | undefined {
  if (!KNOWN.includes(key)) {
    const [nearest] = nearestNames(key, KNOWN, 1);
    return nearest === undefined ? 'is not a known setting' : `is not a known setting. Did you mean ${nearest}?`;
  }
  // Only limits have a lower bound; other keys give `undefined`.
  const least = LEAST[key as keyof AgentLimits] as number | undefined;
  if (least !== undefined && !(Number.isInteger(value) && Number(value) >= least) && value !== Infinity)
    return `must be a whole number, ${least} or more; got ${describeValue(value)}`;
  const choices = CHOICES[key];
  if (choices !== undefined && !choices.some((choice) => choice === value))
    return `must be one of ${choices.join(', ')}; got ${describeValue(value)}`;
  if (key === 'code' && typeof value !== 'boolean') return `must be true or false; got ${describeValue(value)}`;
  if (LISTS.includes(key) && !Array.isArray(value)) return `must be a list; got ${describeValue(value)}`;
  if (key === 'tools' && value !== 'all' && !Array.isArray(value))
    return `must be "all" or a list; got ${describeValue(value)}`;
  if (key === 'toolChoice' && !isToolChoice(value))
    return `must be auto, required, none or { tool: 'name' }; got ${describeValue(value)}`;
  return undefined;
}

function isToolChoice(value: unknown): boolean {
  if (isPlainObject(value)) return typeof value['tool'] === 'string';
  return value === 'auto' || value === 'required' || value === 'none';
}

function refuse(agent: string, field: string, reason: string): ToolError {
  const message = `The agent "${agent}" cannot be made: ${field} ${reason}.`.replace('?.', '?');
  return new ToolError({ code: 'invalid_arguments', message, field, reason });
}
