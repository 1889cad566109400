import type { TokenPrices } from '../define/agent.ts';
import type { LanguageModelUsage } from '../model/ai-types.ts';

/** Tokens and their cost. */
export interface AgentUsage {
  readonly inputTokens: number;
  /** Input that came from the provider's cache; part of `inputTokens`. */
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
  readonly totalTokens: number;
  /** Model calls that were cancelled or failed before the provider reported their usage; the other figures exclude them. */
  readonly uncounted: number;
  /** In the currency of the agent's prices; `undefined` when any part has no price or was not counted. */
  readonly cost: number | undefined;
}

export const NO_USAGE: AgentUsage = Object.freeze({
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
  uncounted: 0,
  cost: 0,
});

/** The usage of a model call whose provider reported none. */
export const UNCOUNTED: AgentUsage = Object.freeze({ ...NO_USAGE, uncounted: 1, cost: undefined });

/** Converts the AI SDK's figures for one model call. */
export function toUsage(usage: LanguageModelUsage, prices: TokenPrices | undefined): AgentUsage {
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  const cachedInputTokens = usage.inputTokenDetails.cacheReadTokens ?? 0;
  const cacheWriteTokens = usage.inputTokenDetails.cacheWriteTokens ?? 0;
  const counts = { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens };
  return {
    ...counts,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    uncounted: 0,
    cost: prices === undefined ? undefined : costOf(counts, prices),
  };
}

export function addUsage(one: AgentUsage, other: AgentUsage): AgentUsage {
  return combine(one, other, 1);
}

/** Returns the usage between `then` and `now`. */
export function subtractUsage(now: AgentUsage, then: AgentUsage): AgentUsage {
  return combine(now, then, -1);
}

function combine(one: AgentUsage, other: AgentUsage, sign: 1 | -1): AgentUsage {
  const sum = (name: Exclude<keyof AgentUsage, 'cost'>): number => one[name] + sign * other[name];
  return {
    inputTokens: sum('inputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
    totalTokens: sum('totalTokens'),
    uncounted: sum('uncounted'),
    cost: one.cost === undefined || other.cost === undefined ? undefined : one.cost + sign * other.cost,
  };
}

function costOf(
  counts: Pick<AgentUsage, 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'cacheWriteTokens'>,
  { input, output, cachedInput = input, cacheWrite = input }: TokenPrices,
): number {
  const plain = Math.max(0, counts.inputTokens - counts.cachedInputTokens - counts.cacheWriteTokens);
  const parts =
    plain * input +
    counts.cachedInputTokens * cachedInput +
    counts.cacheWriteTokens * cacheWrite +
    counts.outputTokens * output;
  return parts / 1_000_000;
}
