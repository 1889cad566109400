import { withNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import type { DryKnowledge, KindHost, ToolEntry } from '../kind.ts';
import type { RagOperation } from './rag-tool-config.ts';
import type { PlannedCollection } from '../../knowledge/plan/knowledge-plan.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { SchemaInput } from '../../tool/schema-types.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { DOCUMENT_TYPES } from '../../knowledge/collection/note.ts';
import type { KnowledgeHit } from '../../knowledge/retrieval/knowledge-search.ts';
import { formatHits, toCitation } from './format-hits.ts';
import { clientOf, describeCaller } from '../../tool/calls/call-owner.ts';

export interface RagSettings {
  readonly collection: string;
  readonly operations: readonly RagOperation[];
}

/** An entry with `type: rag`. */
type RagEntry = ToolEntry<RagSettings>;

const DOES = {
  search: 'Search the knowledge base: find the passages that answer a question',
  store: 'Store a text to remember: add a note or an insight to the knowledge base',
} as const satisfies Record<RagOperation, string>;

/** Creates the tools of a knowledge base: one for each operation. The store is opened by the first call. */
export function ragTools(entry: Pick<RagEntry, 'metadata' | 'settings'>, host: Pick<KindHost, 'knowledge'>): Tool[] {
  const { name, description } = entry.metadata;
  const operations = new Set(entry.settings.operations);
  return [...operations].map((operation) => {
    const own =
      operations.size === 1
        ? // It may also be called by its plain id.
          { aliases: [name] }
        : // Two tools need different texts, for models and for searches.
          { description: `${DOES[operation]}. ${description}` };
    const metadata = withNames({ ...entry.metadata, ...own, name: `${name}-${operation}` }, { given: [name] });
    const naming = { metadata, collection: entry.settings.collection, host };
    return operation === 'search' ? searchTool(naming) : storeTool(naming);
  });
}

interface KnowledgeCall {
  readonly operation: RagOperation;
  readonly collection: string;
  readonly host: Pick<KindHost, 'knowledge'>;
}

/** Describes a call of a knowledge tool. Opens no store and asks no model; throws for a note that is not text. */
export async function dryRunKnowledge(
  { operation, collection: name, host }: KnowledgeCall,
  input: Readonly<Record<string, unknown>>,
): Promise<DryKnowledge> {
  if (operation === 'store') {
    const { checkNote } = await import('../../knowledge/collection/note.ts');
    checkNote({ content: String(input['content']), tags: readTags(input['tags']) });
  }
  const collection = (await host.knowledge()).collection(name);
  const { server, embedder } = collection.plan;
  return {
    type: 'knowledge',
    operation,
    collection: name,
    server: server.name,
    driver: server.driver,
    place: collection.place,
    embedder: embedder === undefined ? undefined : nameEmbedder(embedder),
    input,
  };
}

function nameEmbedder({ platform = 'openai', model }: NonNullable<PlannedCollection['embedder']>): string {
  return model === undefined ? platform : `${platform}:${model}`;
}

interface KnowledgeTool {
  /** Has the name of the one operation. */
  readonly metadata: ToolMetadata;
  readonly collection: string;
  readonly host: Pick<KindHost, 'knowledge'>;
}

/** Stores and embedders retry themselves: retries of the call would multiply the attempts and the wait. */
const KNOWLEDGE_RETRIES = 0;

/** Tags as a list, or as ctx's comma-separated text. */
const TAGS_SCHEMA = {
  type: ['array', 'string'],
  items: { type: 'string' },
} as const;

function readTags(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value.map(String) : [];
}

function searchTool({ metadata, collection, host }: KnowledgeTool): Tool {
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

function storeTool({ metadata, collection, host }: KnowledgeTool): Tool {
  return defineTool({
    ...metadata,
    risk: metadata.risk === 'destructive' ? 'destructive' : 'write',
    retries: metadata.retries ?? KNOWLEDGE_RETRIES,
    schema: STORE_SCHEMA,
    outputSchema: STORED_SCHEMA,
    execute: async (input, context) => {
      const { signal } = context;
      const knowledge = await host.knowledge();
      const { content, type, sourcePath } = input;
      const note = {
        content,
        type,
        sourcePath,
        tags: readTags(input.tags),
        by: clientOf(context).user || describeCaller(context),
      };
      const stored = await knowledge.collection(collection).store(note, { signal });
      return ToolResult.from({
        text: `${OUTCOMES[stored.outcome]}\nType: ${stored.type} | Chunks: ${stored.chunks}`,
        data: stored,
      });
    },
  });
}

const OUTCOMES = {
  stored: 'Stored in knowledge base.',
  updated: 'The knowledge base had this text already: its type, source and tags were updated.',
  unchanged: 'The knowledge base had this already: nothing was changed.',
};

const STORE_SCHEMA = {
  type: 'object',
  properties: {
    content: { type: 'string', minLength: 1, description: 'The text to remember; Markdown is understood' },
    type: { type: 'string', enum: DOCUMENT_TYPES, default: 'general', description: 'The kind of text' },
    sourcePath: { type: 'string', description: 'The path that the text is about, such as src/auth/' },
    tags: { ...TAGS_SCHEMA, description: 'Tags: a list, or one text with commas' },
  },
  required: ['content'],
  additionalProperties: false,
} as const;

const STORED_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    type: { type: 'string' },
    chunks: { type: 'integer' },
    outcome: { type: 'string', enum: ['stored', 'updated', 'unchanged'] },
  },
  required: ['id', 'type', 'chunks', 'outcome'],
} as const;
