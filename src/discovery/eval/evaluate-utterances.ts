import { deriveTool } from '../../tool/define/derive-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { SourceInfo } from '../indexed-tool.ts';
import { ToolIndex, type ToolIndexOptions } from '../tool-index.ts';
import { type EvaluateOptions, type Evaluation, type EvalRun, prepareAll, runQuery, summarize } from './evaluate.ts';

/** The tools whose utterances are tested. */
export interface UtteranceTools {
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
