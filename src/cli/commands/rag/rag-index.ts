import { printJson } from '../../cli-context.ts';
import { type Command, defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { printReport } from './print-report.ts';
import { INDEX_OPTIONS, PATHS_ARGUMENT, planRuns, runIndex } from './run-index.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';

/** `pegboard rag index`: files into a collection. */
export const ragIndex = defineIndexCommand({
  name: 'rag index',
  description:
    'Brings a collection up to date with files: new and changed ones are read, those that are gone are forgotten. It may be stopped at any moment and run again.',
  examples: [
    ['pegboard rag index docs --collection project-docs', 'a folder'],
    ["pegboard rag index 'src/**/*.ts' --collection code --type api", 'a pattern, as documents about the API'],
    ['pegboard rag index --collection project-docs', 'what was indexed before, once more'],
  ],
  isRebuild: false,
});

/** `pegboard rag reindex`: everything anew. */
export const ragReindex = defineIndexCommand({
  name: 'rag reindex',
  description:
    'Reads every file of a collection anew, changed or not: after another embedder, or other libraries for code, HTML and PDF. What tools stored is kept.',
  examples: [['pegboard rag reindex --collection project-docs', 'after a change of the embedder']],
  isRebuild: true,
});

interface IndexCommand extends Pick<Command, 'name' | 'description' | 'examples'> {
  /** Whether every file is read again, and a collection without files is no mistake. */
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
      useKnowledge(values.file, context, async (opened) => {
        const collection = pickCollection(opened.knowledge, values.collection, name);
        const { cwd, signal } = context;
        // Before anything is removed: a wrong path must not cost data.
        const request = { positionals, values, command: name, canBeEmpty: isRebuild };
        const runs = await planRuns(request, collection, { opened, cwd });
        if (isRebuild) await collection.rebuild(signal);
        const report = await runIndex(runs, collection, { opened, context, force: isRebuild });
        if (json) printJson(context, { collection: collection.name, ...report });
        else printReport(collection.name, report, context);
        return report.isStopped ? 1 : 0;
      }),
  });
}
