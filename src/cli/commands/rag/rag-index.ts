import { printJson } from '../../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { printReport } from './print-report.ts';
import { INDEX_OPTIONS, planRuns, runIndex } from './run-index.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';

/** `pegboard rag index`: files into a collection. */
export const ragIndex = defineCommand({
  name: 'rag index',
  description:
    'Brings a collection up to date with files: new and changed ones are read, those that are gone are forgotten. It may be stopped at any moment and run again.',
  arguments: [
    { name: 'PATH', description: 'Files, folders or patterns (default: what was indexed before)', multiple: true },
  ],
  options: { ...COLLECTION_OPTION, ...INDEX_OPTIONS, ...FILE_OPTION },
  examples: [
    ['pegboard rag index docs --collection project-docs', 'a folder'],
    ["pegboard rag index 'src/**/*.ts' --collection code --type api", 'a pattern, as documents about the API'],
    ['pegboard rag index --collection project-docs', 'what was indexed before, once more'],
  ],
  run: ({ values, positionals, json, context }) =>
    useKnowledge(values.file, context, async (opened) => {
      const collection = pickCollection(opened.knowledge, values.collection, 'rag index');
      const runs = await planRuns({ positionals, values, command: 'rag index' }, collection, {
        opened,
        cwd: context.cwd,
      });
      const report = await runIndex(runs, collection, { opened, context });
      if (json) printJson(context, { collection: collection.name, ...report });
      else printReport(collection.name, report, context);
      return report.isStopped ? 1 : 0;
    }),
});
