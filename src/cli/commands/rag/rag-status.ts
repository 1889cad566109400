import type { EmbeddingProblem } from '../../../knowledge/collection/embedding-problem.ts';
import type { KnowledgeCollection } from '../../../knowledge/collection/knowledge-collection.ts';
import { type CliContext, printJson, printLine } from '../../cli-context.ts';
import { alignColumns, counted, toCell } from '../../print/columns.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { COLLECTION_OPTION, useKnowledge } from './use-knowledge.ts';
import { createStyle } from '../../print/style.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

type Status =
  | {
      readonly name: string;
      readonly server: string;
      readonly driver: string;
      readonly documents: number;
      readonly chunks: number;
      readonly embedder: string | null;
      /** How its vectors differ from what the config asks for. */
      readonly problem: EmbeddingProblem | null;
      readonly changedAt: string | null;
      readonly bytes: number | null;
    }
  | { readonly name: string; readonly server: string; readonly driver: string; readonly error: string };

/** `pegboard rag status`: what the collections hold. */
export const ragStatus = defineCommand({
  name: 'rag status',
  description: 'Shows the collections: where each is, how much it holds, and what made its vectors.',
  options: { ...COLLECTION_OPTION, ...FILE_OPTION },
  examples: [['pegboard rag status', 'every collection of the config']],
  run: ({ values, json, context }) =>
    useKnowledge(values.file, context, async ({ knowledge }) => {
      const names = values.collection === undefined ? knowledge.names : [values.collection];
      const states = await Promise.all(names.map((name) => readStatus(knowledge.collection(name))));
      if (json) printJson(context, { collections: states });
      else printStatus(states, context);
      return states.some((state) => 'error' in state) ? 1 : 0;
    }),
});

async function readStatus(collection: KnowledgeCollection): Promise<Status> {
  const { name, server } = collection.plan;
  const place = { name, server: server.name, driver: server.driver };
  try {
    const { documents, chunks, embedding, changedAt, bytes } = await collection.stats();
    const problem = await collection.problem();
    return {
      ...place,
      documents,
      chunks,
      embedder: embedding?.embedder ?? null,
      problem: problem ?? null,
      changedAt: changedAt === undefined ? null : new Date(changedAt).toISOString(),
      bytes: bytes ?? null,
    };
  } catch (error) {
    return { ...place, error: messageOf(error) };
  }
}

function printStatus(states: readonly Status[], { stdout, stderr, env }: CliContext): void {
  if (states.length === 0)
    printLine(stderr, 'The config has no collections. Add a tool with type: rag, or rag.collections.');
  const style = createStyle(stdout, env);
  const rows = states.map((state) => {
    const place = `${state.server} (${state.driver})`;
    if ('error' in state) return [style.cyan(state.name), place, style.red('cannot be read')];
    const { documents, chunks, embedder } = state;
    const vectors = state.problem?.type === 'unused' ? '; not used: vectors of' : ' and vectors of';
    const how = embedder === null ? 'words' : `words${vectors} ${embedder}`;
    return [style.cyan(state.name), place, counted(documents, 'document'), counted(chunks, 'chunk'), how];
  });
  for (const line of alignColumns(rows)) printLine(stdout, line);
  // A sentence in a column would push all others away.
  for (const state of states) {
    const paint = createStyle(stderr, env);
    if ('error' in state) printLine(stderr, `${paint.red('error')} ${toCell(state.error)}`);
    else if (state.problem !== null)
      printLine(stderr, `${paint.yellow('warning')} ${state.name}: ${toCell(state.problem.message)}`);
  }
}
