import type { PlannedCollection } from '../../knowledge/plan/knowledge-plan.ts';
import { checkNote } from '../../knowledge/collection/note.ts';
import type { KindHost } from '../kind-host.ts';
import { readTags } from './knowledge-tool.ts';
import type { RagOperation } from './rag-tool-config.ts';

/** What a call would search or store, and where. */
export interface DryKnowledge {
  readonly type: 'knowledge';
  readonly operation: RagOperation;
  readonly collection: string;
  /** The name of the server in the config. */
  readonly server: string;
  readonly driver: string;
  /** A file or an address. */
  readonly place: string;
  /** What makes the vectors; none when words alone are looked at. */
  readonly embedder: string | undefined;
  /** The arguments, with their defaults. */
  readonly input: Readonly<Record<string, unknown>>;
}

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
