import { DEPTH, measureRanks } from '../../../../discovery/eval/measures.ts';
import { type EvalRun, summarize } from '../../../../discovery/eval/evaluate.ts';
import { estimateTokens } from '../../../../discovery/tokens/estimate-tokens.ts';
import { formatHits } from '../../../../kinds/rag/format-hits.ts';
import type { KnowledgeCollection } from '../../../../knowledge/collection/knowledge-collection.ts';
import type { KnowledgeAnswer, KnowledgeHit } from '../../../../knowledge/retrieval/knowledge-search.ts';
import { Redactor } from '../../../../guard/secrets/redactor.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION } from '../../../../cli/shared/command.ts';
import { parseCount } from '../../../../cli/shared/parse-values.ts';
import { counted } from '../../../../tool/texts/counted.ts';
import { findShortfalls, MINIMUM_OPTIONS, parseMinimum } from '../../../../cli/shared/evaluation/minimums.ts';
import { describeEvaluation, showProgress } from '../../../../cli/shared/evaluation/describe-evaluation.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from '../use-knowledge.ts';
import {
  hasHeading,
  isOfDocument,
  type KnowledgeEvalQuery,
  type PassageNeed,
  readKnowledgeQueries,
  satisfies,
} from './knowledge-queries.ts';
import { nearestNames } from '../../../../tool/texts/suggest.ts';

export const ragEval = defineCommand({
  name: 'rag eval',
  description:
    'Runs queries and measures how often the expected passages are found, and why others are missed: not indexed, filtered, ranked too low.',
  arguments: [
    {
      name: 'FILES',
      description:
        'Queries with the expected passages, such as {"query": "how to log in", "expected": "guide/login.md"}: YAML, JSON or JSONL',
      required: true,
      multiple: true,
    },
  ],
  options: { ...COLLECTION_OPTION, ...MINIMUM_OPTIONS, ...FILE_OPTION },
  examples: [
    ['pegboard rag eval queries.jsonl', 'the collection of this board'],
    ['pegboard rag eval queries.jsonl --collection docs --min recall@5=0.9', 'fail in CI if fewer are found'],
  ],
  async run({ values, positionals, context }) {
    const minimums = values.min.map((text) => parseMinimum(text, 'rag eval'));
    const mostMisses = parseCount(values.misses, { option: '--misses', command: 'rag eval' }) ?? 10;
    const queries = readKnowledgeQueries(positionals, context.cwd);
    if (queries.length === 0) throw stop('There is nothing to evaluate. The files have no queries.');
    return useKnowledge(values.file, { context }, async ({ knowledge }) => {
      const collection = pickCollection(knowledge, values.collection, 'rag eval');
      const { runs, documents } = await evaluate(queries, collection, context);
      const { tools: _, ...evaluation } = summarize(runs, documents);
      const shortfalls = findShortfalls(evaluation.measures, minimums);
      const among = counted(documents, 'document');
      return {
        data: { ok: shortfalls.length === 0, documents, ...evaluation, shortfalls },
        ...describeEvaluation(evaluation, { among, mostMisses, shortfalls, redactor: new Redactor() }),
      };
    });
  },
});

async function evaluate(
  queries: readonly KnowledgeEvalQuery[],
  collection: KnowledgeCollection,
  context: CliContext,
): Promise<{ readonly runs: readonly EvalRun[]; readonly documents: number }> {
  const { documents } = await collection.stats();
  if (documents === 0) throw stop(`The collection "${collection.name}" is empty. Index something first.`);
  const paths = new Set((await collection.files()).flatMap((files) => files.paths));
  const progress = showProgress(context);
  const runs: EvalRun[] = [];
  try {
    for (const asked of queries) {
      context.signal.throwIfAborted();
      runs.push(await runQuery(asked, { collection, paths }, context.signal));
      progress.show(runs.length, queries.length);
    }
  } finally {
    progress.end();
  }
  return { runs, documents };
}

async function runQuery(
  asked: KnowledgeEvalQuery,
  evaluated: EvaluatedCollection,
  signal: AbortSignal,
): Promise<EvalRun> {
  const { query, needs, filter } = asked;
  const start = performance.now();
  const answer = await evaluated.collection.search(query, { ...filter, limit: DEPTH, signal });
  const milliseconds = performance.now() - start;
  checkAnswer(answer);
  const { hits } = answer;
  const ranks = needs.map((need) => hits.findIndex((hit) => need.some((one) => satisfies(hit, one))) + 1);
  const missing = needs.filter((_, place) => ranks[place] === 0);
  const why: string[] = [];
  for (const one of missing.flat()) why.push(await explainMiss(one, asked, evaluated));
  return {
    measures: measureRanks(ranks),
    tokens: estimateTokens(formatHits(query, hits)),
    milliseconds,
    miss:
      missing.length === 0
        ? undefined
        : {
            query,
            missing: missing.map((need) => need.map(({ written }) => written).join(' or ')),
            found: hits.map(nameHit),
            why,
          },
  };
}

/** Refuses figures of searches by words alone when an embedder was expected. */
function checkAnswer({ notice }: KnowledgeAnswer): void {
  if (notice === undefined) return;
  throw new ToolError({ code: 'upstream_unavailable', message: `The evaluation was stopped. ${notice}` });
}

function stop(message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message });
}

/** The number of hits of one search. */
const MOST = 50;

interface EvaluatedCollection {
  readonly collection: KnowledgeCollection;
  readonly paths: ReadonlySet<string>;
}

/** Explains why a passage is not among the first ten hits. */
async function explainMiss(
  need: PassageNeed,
  asked: KnowledgeEvalQuery,
  { collection, paths }: EvaluatedCollection,
): Promise<string> {
  const { path } = need;
  if (!paths.has(path)) {
    const [near] = nearestNames(path, [...paths]);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return `not indexed: the collection has no document ${path}${hint}`;
  }
  const { query, filter } = asked;
  const { hits } = await collection.search(query, { ...filter, limit: MOST });
  const place = hits.findIndex((hit) => satisfies(hit, need)) + 1;
  if (place > 0) return `ranked too low: place ${place}, behind ${nameHit(hits[0])}`;
  const sibling = hits.findIndex((hit) => isOfDocument(hit, need)) + 1;
  if (sibling > 0) {
    const said = `another passage of ${path} is at place ${sibling} (${nameHit(hits[sibling - 1])})`;
    return (await isThere(need, collection)) ? said : `no passage of ${path} is at ${need.written}; ${said}`;
  }
  if (Object.keys(filter).length > 0) {
    const { hits: all } = await collection.search(query, { limit: MOST });
    if (all.some((hit) => isOfDocument(hit, need))) return `filtered: ${path} does not match ${JSON.stringify(filter)}`;
  }
  return `not among the best ${MOST}: no passage of ${path} contains the words or has a similar meaning`;
}

/** Returns true when the document has the expected passage. */
async function isThere({ path, heading, line }: PassageNeed, collection: KnowledgeCollection): Promise<boolean> {
  const { store, collection: name } = await collection.open();
  const [document] = await store.read(name, { filter: { documentIds: [path] }, limit: 1 });
  return (document?.chunks ?? []).some((chunk) => {
    if (line !== undefined) return chunk.lines !== undefined && chunk.lines.from <= line && line <= chunk.lines.to;
    return heading === undefined || hasHeading(chunk, heading);
  });
}

/** Formats a hit as `guide/login.md:1` or `guide/login.md#Heading`. */
function nameHit(hit: KnowledgeHit | undefined): string {
  if (hit === undefined) return 'nothing';
  const { sourcePath, documentId, lines, headings } = hit;
  const name = sourcePath ?? documentId;
  if (lines !== undefined) return `${name}:${lines.from}`;
  return headings.length === 0 ? name : `${name}#${headings.at(-1)}`;
}
