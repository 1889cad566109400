import type { PlannedCollection } from '../../knowledge/plan/knowledge-plan.ts';
import { checkNote } from '../../knowledge/collection/note.ts';
import type { DryKnowledge } from '../dry-step.ts';
import type { KindHost } from '../kind.ts';
import { readTags } from './knowledge-tool.ts';
import type { RagOperation } from './rag-tool-config.ts';

interface KnowledgeCall {
  readonly operation: RagOperation;
  readonly collection: string;
  readonly host: Pick<KindHost, 'knowledge'>;
}

/** Tells what a call of a knowledge tool would do. Opens no store and asks no model; throws for a note that is no text. */
export async function prepareKnowledge(
  { operation, collection: name, host }: KnowledgeCall,
  input: Readonly<Record<string, unknown>>,
): Promise<DryKnowledge> {
  if (operation === 'store') checkNote({ content: String(input['content']), tags: readTags(input['tags']) });
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
