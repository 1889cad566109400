import { counted } from '../../../../tool/texts/counted.ts';
import type { Gain } from './measure-gain.ts';
import type { WantedQueries } from './plan-queries.ts';

const MOST_SHOWN = 5;

/** The requests to be made. */
export interface Plan {
  readonly model: string;
  readonly tools: number;
  readonly languages: readonly string[];
  readonly requests: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly cost?: number;
}

/** Describes the requests, the model and the cost. */
export function describePlan({ model, tools, languages, requests, tokens, cost }: Plan): string {
  const what = `${counted(tools, 'tool')} in ${languages.join(', ')}`;
  if (requests === 0) return `${what}: ${model} has already answered, no request is needed.`;
  const price = cost === undefined ? '' : `, about ${cost.toFixed(cost < 0.1 ? 4 : 2)} at the agent’s prices`;
  const [input, output] = [tokens.input, tokens.output].map((count) => count.toLocaleString('en-US'));
  return `${what}: ${counted(requests, 'request')} to ${model}, about ${input} tokens in and ${output} out${price}.`;
}

/** Shows a sample of the queries. */
export function describeQueries(
  wanted: readonly WantedQueries[],
  queries: ReadonlyMap<string, readonly string[]>,
): string[] {
  const lines = wanted.slice(0, MOST_SHOWN).map(({ tool, key }) => {
    const [first, second] = queries.get(key) ?? [];
    return `${tool.metadata.name}: ${[first, second].filter((query) => query !== undefined).join('; ') || 'none'}`;
  });
  return wanted.length > MOST_SHOWN ? [...lines, '…'] : lines;
}

/** Describes the search results before and after. */
export function describeGain({ asked, queries, before, after }: Gain): string {
  const show = (name: 'recall@5' | 'ndcg@10'): string => `${before[name].toFixed(3)} → ${after[name].toFixed(3)}`;
  return `${counted(queries, 'query', 'queries')}, ${asked}: recall@5 ${show('recall@5')}, ndcg@10 ${show('ndcg@10')}`;
}
