import type { z } from 'zod';
import { NO_PATHS } from '../../guard/policy/tool-paths.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { defineKind } from '../define-kind.ts';
import type { EntryFault } from '../kind.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import { parseRagToolConfig, RAG_OPERATIONS } from './rag-tool-config.ts';
import type { RagSettings } from './rag-tools.ts';
import type { ragKeys } from './schema.ts';

/** `type: rag`: a knowledge base to search and to store in. */
export const rag = defineKind({
  type: 'rag',
  schema: KIND_SCHEMAS.rag,
  isSound: true,
  explain,
  read: (written): RagSettings => {
    // Validated by its schema just before.
    const { collection, operations = RAG_OPERATIONS } = written as z.input<typeof ragKeys>;
    return { collection, operations };
  },
  names: (name, settings?: RagSettings) =>
    (settings?.operations ?? RAG_OPERATIONS).map((operation) => `${name}-${operation}`),
  uses: ({ settings }) => [{ type: 'collection', name: settings.collection, path: ['collection'] }],
  guessCtxRisk: ({ operations }) => (operations.every((operation) => operation === 'search') ? 'read' : 'write'),
  boundsOutput: true,
  tools: async (entry, host) => (await import('./rag-tools.ts')).ragTools(entry, host),
  // Queries and notes are text: no argument is opened.
  pathArguments: ({ paths }) => (paths === undefined ? NO_PATHS : { names: paths, folders: () => [] }),
  dryRun: async ({ entry: { metadata, settings }, tool, input, host }) => {
    const { dryRunKnowledge } = await import('./rag-tools.ts');
    const operation = tool === `${metadata.name}-store` ? 'store' : 'search';
    return [await dryRunKnowledge({ operation, collection: settings.collection, host }, input)];
  },
  describe: ({ settings }) => [['collection', settings.collection]],
});

/** Explains faults with better messages than the schema's. */
function explain(written: Readonly<Record<string, unknown>>): EntryFault[] {
  try {
    parseRagToolConfig({ ...written, id: written['id'] ?? written['name'] });
    return [];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const field = error.field === 'id' && !('id' in written) ? 'name' : (error.field ?? 'id');
    return [{ path: [field], message: `${error.message}.` }];
  }
}
