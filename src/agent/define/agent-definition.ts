import { describeValue } from '../../tool/texts/describe-value.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Agent, AgentToolChoice, ModelSettings, ToolPick } from './agent.ts';
import type { LanguageModel } from '../model/ai-types.ts';
import { type AgentSpec, defineAgent } from './define-agent.ts';

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
