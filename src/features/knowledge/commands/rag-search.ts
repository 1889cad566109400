import { formatHits } from '../../../kinds/rag/format-hits.ts';
import type { KnowledgeHit } from '../../../knowledge/retrieval/knowledge-search.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { defineCommand, FILE_OPTION, flag, listOption, valueOption } from '../../../cli/shared/command.ts';
import { parseCount } from '../../../cli/shared/parse-values.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';

export const ragSearch = defineCommand({
  name: 'rag search',
  description: 'Finds the passages of a collection that answer a question, best first.',
  arguments: [{ name: 'QUERY', description: 'The question or words to search for', required: true, multiple: true }],
  options: {
    ...COLLECTION_OPTION,
    limit: valueOption('N', 'The number of passages, 1 to 50 (default: 10)', { short: 'n' }),
    type: valueOption('TYPE', 'Only documents of this type'),
    path: valueOption('PATH', 'Only documents with this path, or below this folder'),
    tag: listOption('TAG', 'Only documents with this tag; may be given several times'),
    explain: flag('Show why each passage was found'),
    ...FILE_OPTION,
  },
  examples: [
    ['pegboard rag search how do users log in', 'search with a question'],
    ['pegboard rag search retries --collection code --path src/http/ --limit 3', 'search a part of a collection'],
  ],
  run: ({ values, positionals, context }) =>
    useKnowledge(values.file, { context }, async ({ knowledge }) => {
      const collection = pickCollection(knowledge, values.collection, 'rag search');
      const query = positionals.join(' ');
      const { hits, mode, notice } = await collection.search(query, {
        limit: parseCount(values.limit, { option: '--limit', command: 'rag search' }),
        type: values.type,
        sourcePath: values.path,
        tags: values.tag,
        explain: values.explain,
        signal: context.signal,
      });
      const isEmpty = hits.length === 0;
      return {
        data: { collection: collection.name, query, mode, notice: notice ?? null, results: hits },
        view: (style) =>
          isEmpty ? [] : { text: formatHits(query, emphasize(hits, style), values.explain ? explain : undefined) },
        notes: [...(isEmpty ? [formatHits(query, hits)] : []), ...(notice === undefined ? [] : [`note ${notice}`])],
        exitCode: isEmpty ? 1 : 0,
      };
    }),
});

/** Emphasizes the sentences that match best. */
function emphasize(hits: readonly KnowledgeHit[], { bold }: TextStyle): KnowledgeHit[] {
  const mark = (text: string, sentence: string): string => text.replace(sentence, () => bold(sentence));
  return hits.map((hit) => ({ ...hit, text: hit.highlights.map((one) => one.text).reduce(mark, hit.text) }));
}

/** Formats an explanation as `words: no. 2 (12.3: login, token) · vectors: no. 1 (0.71)`. */
function explain({ explanation, duplicates }: KnowledgeHit): string {
  const { words, vector, rerank } = explanation ?? {};
  const place = (rank: number | undefined): string => (rank === undefined ? 'ranked low' : `no. ${rank}`);
  const parts = [
    words === undefined
      ? 'words: none'
      : `words: ${place(words.rank)} (${words.score.toFixed(2)}: ${words.terms.join(', ')})`,
    ...(vector === undefined ? [] : [`vectors: ${place(vector.rank)} (${vector.score.toFixed(2)})`]),
    ...(rerank === undefined ? [] : [`reranked from no. ${rerank.before}`]),
    ...(duplicates.length === 0
      ? []
      : [`same text in ${duplicates.map(({ sourcePath, chunkId }) => sourcePath ?? chunkId).join(', ')}`]),
  ];
  return parts.join(' · ');
}
