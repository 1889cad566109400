import type { AgentUsage } from './agent-usage.ts';
import type { LanguageModel } from './ai-types.ts';

/** A model's name, as events and spans give it. */
export function modelIdOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}

/** Provider and model, as OpenTelemetry's GenAI conventions name them. */
export function modelAttributes(model: LanguageModel): Record<string, string> {
  const provider = typeof model === 'string' ? 'gateway' : (model.provider.split('.')[0] ?? model.provider);
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': modelIdOf(model) };
}

/** Tokens, as OpenTelemetry's GenAI conventions name them. */
export function usageAttributes(usage: AgentUsage): Record<string, number> {
  return { 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens };
}
