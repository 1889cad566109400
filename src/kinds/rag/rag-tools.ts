import { withNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import type { KindHost, ToolEntry } from '../kind.ts';
import type { RagOperation } from './rag-tool-config.ts';
import { searchTool } from './search-tool.ts';
import { storeTool } from './store-tool.ts';
import type { PlannedCollection } from '../../knowledge/plan/knowledge-plan.ts';
import type { DryKnowledge } from '../dry-step.ts';
import { readTags } from './knowledge-tool.ts';

export interface RagSettings {
  readonly collection: string;
  readonly operations: readonly RagOperation[];
}

/** An entry with `type: rag`. */
export type RagEntry = ToolEntry<RagSettings>;

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
