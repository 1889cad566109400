import { printJson } from '../../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { printReport } from './print-report.ts';
import { INDEX_OPTIONS, planRuns, runIndex } from './run-index.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';

/** `pegboard rag reindex`: everything anew. */
export const ragReindex = defineCommand({
  name: 'rag reindex',
  description:
    'Reads every file of a collection anew, changed or not: after another embedder, or other libraries for code, HTML and PDF. What tools stored is kept.',
  arguments: [
    { name: 'PATH', description: 'Files, folders or patterns (default: what was indexed before)', multiple: true },
  ],
  options: { ...COLLECTION_OPTION, ...INDEX_OPTIONS, ...FILE_OPTION },
  examples: [['pegboard rag reindex --collection project-docs', 'after a change of the embedder']],
  run: ({ values, positionals, json, context }) =>
    useKnowledge(values.file, context, async (opened) => {
      const collection = pickCollection(opened.knowledge, values.collection, 'rag reindex');
      // Before anything is removed: a wrong path must not cost data.
      const runs = await planRuns({ positionals, values, command: 'rag reindex', canBeEmpty: true }, collection, {
        opened,
        cwd: context.cwd,
      });
      await collection.rebuild(context.signal);
      const report = await runIndex(runs, collection, { opened, context, force: true });
      if (json) printJson(context, { collection: collection.name, ...report });
      else printReport(collection.name, report, context);
      return report.isStopped ? 1 : 0;
    }),
});
