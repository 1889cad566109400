import type { CollectionRebuild, KnowledgeCollection } from '../../../knowledge/collection/knowledge-collection.ts';
import { toSearchRoots } from '../../../knowledge/documents/find/search-roots.ts';
import type { SourcesReport } from '../../../knowledge/sources/index-sources.ts';
import type { IndexReport } from '../../../knowledge/indexing/index-report.ts';
import { type CliContext, printLine } from '../../../cli/shared/cli-context.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { type Command, defineCommand, FILE_OPTION } from '../../../cli/shared/command.ts';
import { describeReport } from './describe-report.ts';
import {
  addReports,
  INDEX_OPTIONS,
  PATHS_ARGUMENT,
  type PlannedRun,
  planRuns,
  runIndex,
  runSources,
} from './run-index.ts';
import { COLLECTION_OPTION, type OpenedKnowledge, pickCollection, useKnowledge } from './use-knowledge.ts';

export const ragIndex = defineIndexCommand({
  name: 'rag index',
  description:
    'Updates a collection from files, and from the pages and repositories in its config: reads new and changed ones, removes deleted ones. You can stop it at any time and run it again.',
  examples: [
    ['pegboard rag index docs --collection project-docs', 'a folder'],
    ["pegboard rag index 'src/**/*.ts' --collection code --type api", 'a pattern, as API documents'],
    ['pegboard rag index --collection project-docs', 'everything that was indexed before'],
  ],
  isRebuild: false,
});

export const ragReindex = defineIndexCommand({
  name: 'rag reindex',
  description:
    'Rebuilds a collection from all files, for another embedder or other document readers. Searches use the old collection until the new one is complete; notes stored by tools are kept. If stopped, it continues when you run it again.',
  examples: [['pegboard rag reindex --collection project-docs', 'after changing the embedder']],
  isRebuild: true,
});

interface IndexCommand extends Pick<Command, 'name' | 'description' | 'examples'> {
  /** Reads every file again; a collection without files is allowed. */
  readonly isRebuild: boolean;
}

function defineIndexCommand({ name, description, examples, isRebuild }: IndexCommand): Command {
  return defineCommand({
    name,
    description,
    arguments: [PATHS_ARGUMENT],
    options: { ...COLLECTION_OPTION, ...INDEX_OPTIONS, ...FILE_OPTION },
    examples,
    run: ({ values, positionals, json, context }) =>
      useKnowledge(values.file, { context }, async (opened) => {
        const collection = pickCollection(opened.knowledge, values.collection, name);
        const request = { positionals, values, command: name, isRebuild };
        const runs = await planRuns(request, collection, { opened, cwd: context.cwd });
        // Checked before a long build: a wrong path would leave it incomplete.
        for (const { paths, canBeGone } of isRebuild ? runs : [])
          toSearchRoots(paths, { cwd: opened.base, canBeGone, isKnown: () => false, hasBelow: () => false });
        const build = isRebuild ? await collection.rebuild(context.signal) : undefined;
        if (build !== undefined && build.resumed > 0 && !json) {
          const done = counted(build.resumed, 'document');
          printLine(context.stderr, `Continuing an interrupted reindex: ${done} built so far.`);
        }
        const files = await runIndex(runs, build ?? collection, { opened, context });
        const hasSources = collection.plan.sources.length > 0;
        const isAll = isRebuild || positionals.length === 0;
        const sources =
          isAll && !files.isStopped
            ? await runSources(build ?? collection, { opened, context, hasSources })
            : undefined;
        const indexed = sources === undefined ? files : addReports([files, sources]);
        const report =
          build === undefined || indexed.isStopped
            ? indexed
            : await exchange(build, { indexed, sources, runs, collection, opened, context });
        return describeReport(collection.name, report, { isBeside: build !== undefined });
      }),
  });
}

interface Exchange {
  readonly indexed: IndexReport;
  readonly sources: SourcesReport | undefined;
  readonly runs: readonly PlannedRun[];
  readonly collection: KnowledgeCollection;
  readonly opened: OpenedKnowledge;
  readonly context: CliContext;
}

/** Replaces the collection with the new one, then indexes files that changed meanwhile. */
async function exchange(
  build: CollectionRebuild,
  { indexed, sources, runs, collection, ...host }: Exchange,
): Promise<IndexReport> {
  try {
    const { removed } = await build.finish({ runs, cwd: host.opened.base, isSettled: sources?.isSettled });
    const late = await runIndex(runs, collection, host);
    const { files, unchanged, skipped } = indexed;
    return { ...addReports([indexed, late]), files, unchanged, skipped, removed: removed + late.removed };
  } catch (error) {
    if (!host.context.signal.aborted) throw error;
    return { ...indexed, isStopped: true };
  }
}
