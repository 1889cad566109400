import { askYesOrNo } from '../../ask/ask-person.ts';
import { canAsk, type CliContext, refuse } from '../../cli-context.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { forgetRuns } from './run-index.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';
import { UsageError } from '../../command-line/usage-error.ts';

export const ragClear = defineCommand({
  name: 'rag clear',
  description: 'Deletes everything in a collection: documents from files and notes stored by tools. Asks first.',
  options: {
    ...COLLECTION_OPTION,
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
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
