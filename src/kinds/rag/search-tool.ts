import { ToolResult } from '../../tool/tool-result.ts';
import type { SchemaInput } from '../../tool/schema-types.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { DOCUMENT_TYPES } from '../../knowledge/collection/document-type.ts';
import type { KnowledgeHit } from '../../knowledge/retrieval/knowledge-search.ts';
import { formatHits, toCitation } from './format-hits.ts';
import { KNOWLEDGE_RETRIES, type KnowledgeTool, readTags, TAGS_SCHEMA } from './knowledge-tool.ts';

/** Creates the tool that searches a collection. */
export function searchTool({ metadata, collection, host }: KnowledgeTool): Tool {
  return defineTool({
    ...metadata,
    risk: 'read',
    retries: metadata.retries ?? KNOWLEDGE_RETRIES,
    schema: SEARCH_SCHEMA,
    outputSchema: HITS_SCHEMA,
    execute: async (input, { signal }) => {
      const knowledge = await host.knowledge();
      const { query, type, sourcePath, limit } = input;
      const options = { type, sourcePath, limit, tags: readTags(input.tags), signal };
      const { hits, notice } = await knowledge.collection(collection).search(query, options);
      return ToolResult.from({
        // Also in the text: most models see nothing else of a result.
        text: [formatHits(query, hits), ...(notice === undefined ? [] : [`Note: ${notice}`])].join('\n\n'),
        data: { query, results: hits.map(toData), ...(notice === undefined ? {} : { notice }) },
      });
    },
  });
}

function toData(hit: KnowledgeHit): SchemaInput<typeof HITS_SCHEMA>['results'][number] {
  const { score, text, type, tags, sourcePath, headings, lines, highlights } = hit;
  return {
    score: Number(score.toFixed(4)),
    text,
    type,
    tags,
    headings,
    ...(sourcePath === undefined ? {} : { sourcePath }),
    ...(lines === undefined ? {} : { lines }),
    ...toCitation(hit),
    ...(hit.note === undefined ? {} : { note: hit.note }),
    highlights,
  };
}

const SEARCH_SCHEMA = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      minLength: 1,
      description: 'What you want to know: a question to the knowledge base, or words of the answer',
    },
    type: { type: 'string', enum: DOCUMENT_TYPES, description: 'Only documents of this type' },
    sourcePath: {
      type: 'string',
      description: 'Only documents of this path, or below this folder; * and ** match anything',
    },
    tags: { ...TAGS_SCHEMA, description: 'Only documents with all of these tags' },
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'The most results' },
  },
  required: ['query'],
  additionalProperties: false,
} as const;

const HITS_SCHEMA = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          score: { type: 'number' },
          text: { type: 'string' },
          type: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          sourcePath: { type: 'string', description: 'The source; for a note, the subject that it states' },
          headings: { type: 'array', items: { type: 'string' } },
          lines: {
            type: 'object',
            description: 'Lines of the file; or pages, slides, rows or cells',
            properties: { from: { type: 'integer' }, to: { type: 'integer' } },
            required: ['from', 'to'],
          },
          path: { type: 'string', description: 'To cite: the source' },
          heading: { type: 'string', description: 'To cite: the headings above the passage' },
          line: { type: 'string', description: 'To cite: first and last line in the source, such as 12-18' },
          place: {
            type: 'string',
            description: 'To cite without lines: slide 2, rows 2-40, page 3, cells 1-4',
          },
          url: { type: 'string', description: 'To cite a page of the web: its address, which leads to the heading' },
          note: {
            type: 'object',
            description: 'Only for notes stored by a caller, which are not documents: author and time',
            properties: { by: { type: 'string' }, at: { type: 'string' } },
          },
          highlights: {
            type: 'array',
            description: 'To quote: the sentences that answer the query, word for word',
            items: {
              type: 'object',
              properties: {
                text: { type: 'string' },
                line: { type: 'integer', description: 'Its start' },
                page: { type: 'integer', description: 'The page of a PDF' },
                slide: { type: 'integer' },
                row: { type: 'integer' },
                cell: { type: 'integer' },
                heading: { type: 'string', description: 'The nearest heading above it' },
              },
              required: ['text'],
            },
          },
        },
        required: ['score', 'text', 'type', 'tags', 'headings', 'highlights'],
      },
    },
    notice: { type: 'string', description: 'The reason for a search by words only, or for a different order' },
  },
  required: ['query', 'results'],
} as const;
