import { isPlainObject } from '../../tool/json.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { LanguageModel } from '../model/ai-types.ts';
import type { Agent, AgentLimits, AgentToolChoice, ModelSettings, ToolPick } from './agent.ts';

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

/**
 * An agent written as a class, as in Atlas. Subclasses must implement `provider` and `model`.
 * @example
 * class Assistant extends AgentDefinition {
 *   provider() { return 'openai'; }
 *   model() { return 'gpt-5.4-mini'; }
 *   override systemPrompt() { return 'You are a helpful assistant with access to tools.'; }
 *   override tools() { return ['calculator', 'search_web']; }
 *   override maxSteps() { return 5; }
 * }
 */
export abstract class AgentDefinition {
  /** The provider, such as `openai` or `anthropic`; not used when `model()` returns a model of the AI SDK. */
  abstract provider(): string;
  /** The model's name, or a model of the AI SDK. */
  abstract model(): string | Exclude<LanguageModel, string>;

  /** The agent's name. Default: the name of the class, with underscores. */
  name(): string {
    return this.constructor.name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
  }

  description(): string {
    return `The agent ${this.name()}.`;
  }

  systemPrompt(_context: ToolContext): string | undefined | Promise<string | undefined> {
    return undefined;
  }

  /** Names, selectors, tool classes and instances. Default: all tools of the board. */
  tools(): 'all' | readonly ToolPick[] {
    return 'all';
  }

  maxSteps(): number | undefined {
    return undefined;
  }

  temperature(): number | undefined {
    return undefined;
  }

  toolChoice(): AgentToolChoice {
    return 'auto';
  }

  /** Other model settings. */
  settings(): ModelSettings {
    return {};
  }

  /** All other options of `defineAgent`. */
  options(): Partial<AgentSpec> {
    return {};
  }

  /** Creates the agent that this class describes. */
  toAgent(): Agent {
    const model = this.model();
    const [temperature, maxSteps] = [this.temperature(), this.maxSteps()];
    return defineAgent({
      ...this.options(),
      name: this.name(),
      description: this.description(),
      model: typeof model === 'string' ? { provider: this.provider(), model } : model,
      system: (context) => this.systemPrompt(context),
      tools: this.tools(),
      toolChoice: this.toolChoice(),
      settings: { ...this.settings(), ...(temperature === undefined ? {} : { temperature }) },
      ...(maxSteps === undefined ? {} : { maxSteps }),
    });
  }
}

/** An agent in any form that the loop accepts. */
export type AgentSource = Agent | AgentDefinition | (new () => AgentDefinition);

/** Turns any form of an agent into an `Agent`. Throws `invalid_arguments` for other values. */
export function parseAgent(source: AgentSource): Agent {
  if (source instanceof AgentDefinition) return source.toAgent();
  if (typeof source === 'function' && source.prototype instanceof AgentDefinition) return new source().toAgent();
  if (typeof source === 'object' && 'limits' in source && 'tools' in source) return source;
  const message = `Not an agent: ${describeValue(source)}. Make one with defineAgent() or a class that extends AgentDefinition.`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'agent' });
}
