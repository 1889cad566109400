import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../../command-line/command.ts';
import { useStore } from './use-store.ts';

/** `pegboard store migrate`: brings the tables up to date, before a release needs them. */
export const storeMigrate = defineCommand({
  name: 'store migrate',
  description:
    "Makes or updates the tables of the board's store. A board does that itself when it first uses the store; run it before, where the user of the database may not change tables.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['PEGBOARD_STORE=postgres://admin@db/team pegboard store migrate', 'with a user who may']],
  run: ({ values, positionals, context }) =>
    useStore([...positionals, ...values.file], context, async (store) => {
      const { address, version } = await store.status();
      return { data: { address, version }, view: `${address} has tables of version ${version}.` };
    }),
});
