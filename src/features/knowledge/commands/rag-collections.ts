import { counted } from '../../../tool/texts/counted.ts';
import { defineCommand, FILE_OPTION, flag, valueOption } from '../../../cli/shared/command.ts';
import { createProgressBar } from './progress-bar.ts';
import { COLLECTION_OPTION, useKnowledge, pickCollection } from './use-knowledge.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { askYesOrNo } from '../../../cli/shared/ask/ask-person.ts';
import { canAsk, type CliContext, refuse } from '../../../cli/shared/cli-context.ts';
import { forgetRuns } from './run-index.ts';

export const ragCopy = defineCommand({
  name: 'rag copy',
  description:
    'Copies the collections of one server to another, or one collection to another, including vectors. Running it again copies what is missing.',
  options: {
    from: valueOption('NAME', 'A server under rag.servers, or a collection'),
    to: valueOption('NAME', 'Another server, or another collection'),
    collection: {
      ...COLLECTION_OPTION.collection,
      description: 'Between servers: only this collection (default: all)',
    },
    ...FILE_OPTION,
  },
  examples: [
    ['pegboard rag copy --from default --to team', 'all collections of one server to another'],
    ['pegboard rag copy --from docs --to docs-backup', 'one collection to another'],
  ],
  run: ({ values: { from, to, collection, file }, context }) =>
    useKnowledge(file, { context }, async ({ knowledge }) => {
      if (from === undefined || to === undefined) throw new UsageError('Name both: --from NAME --to NAME.', 'rag copy');
      const bar = createProgressBar(context, { unit: 'documents' });
      const copied = await knowledge
        .copy({
          from,
          to,
          collection,
          signal: context.signal,
          onProgress: ({ copied: done, skipped, total }) => bar.update({ done: done + skipped, total, chunks: 0 }),
        })
        .finally(() => bar.end());
      const isEmpty = copied.length === 0;
      return {
        data: { collections: copied },
        view: copied.map(
          ({ collection: name, copied: done, skipped }) =>
            `${name}: ${counted(done, 'document')} copied, ${counted(skipped, 'document')} already there.`,
        ),
        notes: isEmpty ? `"${from}" has none of the config's collections.` : [],
        exitCode: isEmpty ? 1 : 0,
      };
    }),
});

export const ragClear = defineCommand({
  name: 'rag clear',
  description: 'Deletes everything in a collection: documents from files and notes stored by tools. Asks first.',
  options: {
    ...COLLECTION_OPTION,
    yes: flag('Do not ask', 'y'),
    ...FILE_OPTION,
  },
  examples: [['pegboard rag clear --collection project-docs', 'asks, then deletes']],
  run: ({ values, context }) =>
    useKnowledge(values.file, { context }, async (opened) => {
      const collection = pickCollection(opened.knowledge, values.collection, 'rag clear');
      const { documents } = await collection.stats();
      const what = `${counted(documents, 'document')} of "${collection.name}"`;
      if (!values.yes && !(await confirm(`Delete ${what}?`, context))) return refuse(context, 'Nothing was changed.');
      await collection.clear();
      await forgetRuns(collection.name, opened);
      return { data: { collection: collection.name, removed: documents }, view: `Deleted ${what}.` };
    }),
});

async function confirm(message: string, context: CliContext): Promise<boolean> {
  if (!canAsk(context)) throw new UsageError(`${message} There is no terminal to ask at. Add --yes.`, 'rag clear');
  return askYesOrNo(context, { message });
}
