import { clientOf, describeCaller } from '../../tool/calls/call-owner.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { DOCUMENT_TYPES } from '../../knowledge/collection/document-type.ts';
import { KNOWLEDGE_RETRIES, type KnowledgeTool, readTags, TAGS_SCHEMA } from './knowledge-tool.ts';

/** Creates the tool that stores in a collection. */
export function storeTool({ metadata, collection, host }: KnowledgeTool): Tool {
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
