import { formatHits } from '../../kinds/rag/format-hits.ts';
import { stripEscapes } from '../../process/strip-escapes.ts';
import { printJson, printLine } from '../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../command.ts';
import { parseCount } from '../parse-values.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from '../rag/use-knowledge.ts';

/** `pegboard rag search`: passages of a collection. */
export const ragSearch = defineCommand({
  name: 'rag search',
  description: 'Finds the passages of a collection that answer a question, best first.',
  arguments: [{ name: 'QUERY', description: 'What you look for', required: true, multiple: true }],
  options: {
    ...COLLECTION_OPTION,
    limit: { type: 'string', short: 'n', value: 'N', description: 'How many at most, 1 to 50 (default: 10)' },
    type: { type: 'string', value: 'TYPE', description: 'Only documents of this type' },
    path: { type: 'string', value: 'PATH', description: 'Only documents of this path, or below this folder' },
    tag: {
      type: 'string',
      value: 'TAG',
      multiple: true,
      description: 'Only documents with this tag; may be given several times',
    },
    ...FILE_OPTION,
  },
  examples: [
    ['pegboard rag search how do users log in', 'a question'],
    ['pegboard rag search retries --collection code --path src/http/ --limit 3', 'a part of a collection'],
  ],
  run: ({ values, positionals, json, context }) =>
    useKnowledge(values.file, context, async ({ knowledge }) => {
      const collection = pickCollection(knowledge, values.collection, 'rag search');
      const query = positionals.join(' ');
      const hits = await collection.search(query, {
        limit: parseCount(values.limit, '--limit', 'rag search'),
        type: values.type,
        sourcePath: values.path,
        tags: values.tag,
        signal: context.signal,
      });
      if (json) printJson(context, { collection: collection.name, query, results: hits });
      else if (hits.length === 0) printLine(context.stderr, formatHits(query, hits));
      // A terminal must not obey what stands in a document.
      else
        printLine(
          context.stdout,
          context.stdout.isTTY === true ? stripEscapes(formatHits(query, hits)) : formatHits(query, hits),
        );
      return hits.length === 0 ? 1 : 0;
    }),
});
