import { nearestNames } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { RankedResult } from '../rank-tools.ts';
import { ToolIndex, type ToolIndexOptions } from '../tool-index.ts';
import {
  averageMeasures,
  DEPTH,
  type Doubt,
  measureDoubt,
  type Measures,
  measureSearch,
  type Trust,
} from './measures.ts';
import { describeBriefly } from '../meta-tools/texts/describe-hit.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import { deriveTool } from '../../tool/define/make-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { SourceInfo } from '../indexed-tool.ts';

/** A query with the tools it should find. */
export interface EvalQuery {
  readonly query: string;
  /** The tools it needs, all of them. */
  readonly expected: readonly string[];
  /** One list of alternative tools for each need, instead of `expected`. */
  readonly groups?: readonly (readonly string[])[] | undefined;
}

/** A query that did not find everything in the first ten places. */
export interface EvalMiss {
  readonly query: string;
  /** The unsatisfied needs; alternative tools are joined with `or`. */
  readonly missing: readonly string[];
  /** The tools found instead, best first. */
  readonly found: readonly string[];
  /** The reasons that tools are missing, if known. */
  readonly why?: readonly string[];
}

/** The quality of an index. */
export interface Evaluation {
  readonly queries: number;
  readonly tools: number;
  readonly measures: Measures;
  /** The average number of tokens that an agent reads for one search. */
  readonly tokens: number;
  /** Milliseconds of a search: the median, and the 99th percentile. */
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly misses: readonly EvalMiss[];
  /** The ability of searches to detect a missing tool. */
  readonly doubt?: Doubt;
}

/** Options of `evaluate`. */
export interface EvaluateOptions {
  /** Aborts the evaluation. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each query. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const MOST_UNKNOWN = 10;

/**
 * Runs every query on an index and measures the first ten places.
 *
 * Throws `invalid_arguments` if a query expects nothing or an unknown tool, and `upstream_unavailable` if the index has
 * an embedder that fails.
 */
export async function evaluate(
  index: ToolIndex,
  queries: readonly EvalQuery[],
  { signal, onProgress }: EvaluateOptions = {},
): Promise<Evaluation> {
  checkQueries(index, queries);
  await prepareAll(index);
  const runs: EvalRun[] = [];
  for (const query of queries) {
    signal?.throwIfAborted();
    runs.push(await runQuery(index, query, signal));
    checkEmbedder(index);
    onProgress?.(runs.length, queries.length);
  }
  return summarize(runs, index.size);
}

/** Prepares an index. Throws if its embedder fails: results by words alone must not pass for those of an embedder. */
async function prepareAll(index: ToolIndex): Promise<void> {
  await index.prepare();
  checkEmbedder(index);
}

function checkEmbedder({ embedderFailure: failure }: ToolIndex): void {
  if (failure === undefined) return;
  const message = `The evaluation was stopped, because the embedder failed: ${failure}`;
  throw new ToolError({ code: 'upstream_unavailable', message });
}

export interface EvalRun {
  readonly measures: Measures;
  readonly tokens: number;
  readonly milliseconds: number;
  readonly miss: EvalMiss | undefined;
  /** The trust in the best tool, with the expected tools on the board and with them removed. */
  readonly trust?: { readonly there: Trust; readonly removed: Trust };
}

async function runQuery(index: ToolIndex, asked: EvalQuery, signal?: AbortSignal): Promise<EvalRun> {
  const start = performance.now();
  const result = await index.find(asked.query, { limit: DEPTH, wait: Infinity, signal });
  const milliseconds = performance.now() - start;
  const { hits } = result;
  const found = hits.map(({ name }) => name);
  const needs = needsOf(asked);
  const expected = new Set(needs.flat());
  const only = ({ metadata }: Tool): boolean => !expected.has(metadata.name);
  const without = await index.find(asked.query, { limit: 1, wait: Infinity, signal, only });
  const missing = needs.filter((need) => !need.some((name) => found.includes(name)));
  return {
    measures: measureSearch(found, needs),
    tokens: costOfHits(index, hits),
    milliseconds,
    miss:
      missing.length === 0
        ? undefined
        : { query: asked.query, missing: missing.map((need) => need.join(' or ')), found },
    trust: { there: toTrust(result), removed: toTrust(without) },
  };
}

function toTrust({ hits, isDoubtful, certainty = 0 }: RankedResult): Trust {
  return { certainty, isDoubted: hits.length === 0 || isDoubtful === true };
}

export function summarize(runs: readonly EvalRun[], tools: number): Evaluation {
  const times = runs.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    queries: runs.length,
    tools,
    measures: averageMeasures(runs.map(({ measures }) => measures)),
    tokens: Math.round(runs.reduce((sum, { tokens }) => sum + tokens, 0) / (runs.length || 1)),
    latency: { p50: at(0.5), p99: at(0.99) },
    misses: runs.flatMap(({ miss }) => miss ?? []),
    ...measureDoubt(runs.flatMap(({ trust }) => trust ?? [])),
  };
}

function needsOf({ expected, groups }: EvalQuery): readonly (readonly string[])[] {
  return groups ?? expected.map((name) => [name]);
}

function checkQueries(index: ToolIndex, queries: readonly EvalQuery[]): void {
  const faults: string[] = [];
  const names = index.names();
  for (const query of queries) {
    const needs = needsOf(query);
    const shown = JSON.stringify(query.query.slice(0, 60));
    if (needs.length === 0 || needs.some((need) => need.length === 0)) faults.push(`${shown} expects no tool.`);
    for (const name of new Set(needs.flat())) {
      if (index.get(name) !== undefined) continue;
      const nearest = nearestNames(name, names);
      const hint = nearest.length === 0 ? '' : ` Did you mean ${nearest.map((one) => `"${one}"`).join(' or ')}?`;
      faults.push(`${shown} expects "${name}", which is not on the board.${hint}`);
    }
  }
  if (faults.length === 0) return;
  const more = faults.length > MOST_UNKNOWN ? `\nand ${faults.length - MOST_UNKNOWN} more.` : '';
  const message = `The queries cannot be evaluated:\n- ${faults.slice(0, MOST_UNKNOWN).join('\n- ')}${more}`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'queries', reason: 'unknown tools' });
}

/** Estimates the tokens that found tools cost an agent: the line that `search_tools` writes for each. */
function costOfHits(index: ToolIndex, hits: readonly { readonly name: string }[]): number {
  const lines = hits.flatMap(({ name }) => {
    const tool = index.get(name);
    return tool === undefined ? [] : [describeBriefly(tool)];
  });
  return estimateTokens(lines.join('\n'));
}

/** The tools whose utterances are tested. */
interface UtteranceTools {
  readonly registry: ToolRegistry;
  readonly files?: readonly SourceInfo[];
}

/**
 * Runs every utterance of a board's tools as a query, each on an index without it.
 *
 * An utterance that found its tool in its own index would say nothing about other queries.
 */
export async function evaluateUtterances(
  { registry, files = [] }: UtteranceTools,
  { signal, onProgress, ...options }: EvaluateOptions & Pick<ToolIndexOptions, 'embedder' | 'queriesOf'> = {},
): Promise<Evaluation> {
  const copy = new ToolRegistry().registerMany(registry.getAll());
  const index = ToolIndex.from({ registry: copy, files }, options);
  const spoken = copy.getAll().filter(({ metadata }) => (metadata.utterances ?? []).length > 0);
  const total = spoken.reduce((sum, { metadata }) => sum + (metadata.utterances ?? []).length, 0);
  const runs: EvalRun[] = [];
  try {
    await prepareAll(index);
    for (const tool of spoken) {
      const { name, utterances = [] } = tool.metadata;
      for (const [place, query] of utterances.entries()) {
        signal?.throwIfAborted();
        const metadata = { ...tool.metadata, utterances: utterances.toSpliced(place, 1) };
        copy.update(name, deriveTool(tool, { metadata }));
        await prepareAll(index);
        runs.push(await runQuery(index, { query, expected: [name] }, signal));
        onProgress?.(runs.length, total);
      }
      copy.update(name, tool);
    }
  } finally {
    index.close();
  }
  return summarize(runs, index.size);
}
