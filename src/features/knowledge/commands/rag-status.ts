import { checkDocumentType } from '../../../knowledge/collection/note.ts';
import type { StaleFiles } from '../../../knowledge/indexing/find-stale.ts';
import type { EmbeddingProblem } from '../../../knowledge/collection/embedding-problem.ts';
import type { KnowledgeCollection } from '../../../knowledge/collection/knowledge-collection.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { alignColumns, toCell } from '../../../cli/shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { defineCommand, FILE_OPTION } from '../../../cli/shared/command.ts';
import { planRuns } from './run-index.ts';
import { COLLECTION_OPTION, type OpenedKnowledge, useKnowledge } from './use-knowledge.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

type Status =
  | {
      readonly name: string;
      readonly server: string;
      readonly driver: string;
      readonly documents: number;
      readonly chunks: number;
      readonly embedder: string | null;
      /** The mismatch between its vectors and the config. */
      readonly problem: EmbeddingProblem | null;
      /** The differences between its files and its contents. */
      readonly stale: StaleFiles;
      /** The documents of a running or interrupted reindex. */
      readonly unfinished: number | null;
      readonly changedAt: string | null;
      readonly bytes: number | null;
    }
  | { readonly name: string; readonly server: string; readonly driver: string; readonly error: string };

export const ragStatus = defineCommand({
  name: 'rag status',
  description:
    'Shows the collections: the place, size and embedder of each, and what is out of date: changed files, other settings, an interrupted reindex.',
  options: { ...COLLECTION_OPTION, ...FILE_OPTION },
  examples: [['pegboard rag status', 'all collections of the config']],
  run: ({ values, context }) =>
    useKnowledge(values.file, { context, mode: 'look' }, async (opened) => {
      const { knowledge } = opened;
      const names = values.collection === undefined ? knowledge.names : [values.collection];
      const states = await Promise.all(names.map((name) => readStatus(knowledge.collection(name), opened, context)));
      return {
        data: { collections: states },
        view: (style) => alignColumns(states.map((state) => toRow(state, style))),
        notes: (style) => describeFaults(states, style),
        exitCode: states.some((state) => 'error' in state) ? 1 : 0,
      };
    }),
});

async function readStatus(
  collection: KnowledgeCollection,
  opened: OpenedKnowledge,
  { cwd, signal }: CliContext,
): Promise<Status> {
  const { name, server } = collection.plan;
  const place = { name, server: server.name, driver: server.driver };
  try {
    const { documents, chunks, embedding, changedAt, bytes } = await collection.stats();
    const problem = await collection.problem();
    const runs = await planRuns(EVERYTHING, collection, { opened, cwd });
    const all = runs.map((run) => ({ ...run, type: checkDocumentType(run.type), cwd: opened.base, signal }));
    return {
      ...place,
      documents,
      chunks,
      embedder: embedding?.embedder ?? null,
      problem: problem ?? null,
      stale: await collection.stale(all),
      unfinished: (await collection.unfinished()) ?? null,
      changedAt: changedAt === undefined ? null : new Date(changedAt).toISOString(),
      bytes: bytes ?? null,
    };
  } catch (error) {
    return { ...place, error: messageOf(error) };
  }
}

/** Selects everything that was indexed before. */
const EVERYTHING = {
  positionals: [],
  values: { type: undefined, tag: [], hidden: false, exclude: [] },
  command: 'rag status',
  isRebuild: true,
} as const;

function toRow(state: Status, style: TextStyle): string[] {
  const place = `${state.server} (${state.driver})`;
  if ('error' in state) return [style.cyan(state.name), place, style.red('cannot be read')];
  const { documents, chunks, embedder } = state;
  const vectors = state.problem?.type === 'unused' ? '; unused: vectors of' : ' and vectors of';
  const how = embedder === null ? 'words' : `words${vectors} ${embedder}`;
  return [style.cyan(state.name), place, counted(documents, 'document'), counted(chunks, 'chunk'), how];
}

/** Describes problems below the table, where long sentences fit. */
function describeFaults(states: readonly Status[], style: TextStyle): string[] {
  if (states.length === 0) return ['The config has no collections. Add a tool with type: rag, or rag.collections.'];
  return states.flatMap((state) =>
    'error' in state
      ? [`${style.red('error')} ${toCell(state.error)}`]
      : describeStale(state).map((text) => `${style.yellow('warning')} ${state.name}: ${toCell(text)}`),
  );
}

function describeStale({
  name,
  problem,
  stale,
  unfinished,
}: Extract<Status, { readonly documents: number }>): string[] {
  const { changed, added, removed, recut, unread, missing } = stale;
  const parts = [
    ...(changed.length === 0 ? [] : [`${counted(changed.length, 'file')} changed`]),
    ...(added.length === 0 ? [] : [`${counted(added.length, 'file')} new`]),
    ...(removed.length === 0 ? [] : [`${counted(removed.length, 'file')} gone`]),
    ...(recut.length === 0 ? [] : [`${counted(recut.length, 'file')} indexed with other settings`]),
  ];
  const examples = [...changed, ...added, ...removed, ...recut].slice(0, MOST_EXAMPLES).join(', ');
  return [
    ...(problem === null ? [] : [problem.message]),
    ...(unfinished === null
      ? []
      : [
          `A reindex is running or was interrupted: ${counted(unfinished, 'document')} built. Searches still use the old collection. Continue with: pegboard rag reindex --collection ${name}`,
        ]),
    ...(parts.length === 0
      ? []
      : [`Out of date: ${parts.join(', ')} (${examples}). Update with: pegboard rag index --collection ${name}`]),
    ...(unread.length === 0
      ? []
      : [
          `${counted(unread.length, 'file')} cannot be read without additional packages (${unread.slice(0, MOST_EXAMPLES).join(', ')}): npm install ${missing.join(' ')} && pegboard rag index --collection ${name}`,
        ]),
  ];
}

const MOST_EXAMPLES = 3;
