import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../../command-line/command.ts';
import { useStore } from './use-store.ts';

/** `pegboard store vacuum`: deletes expired records and gives space back. */
export const storeVacuum = defineCommand({
  name: 'store vacuum',
  description: "Deletes what is over its time from the board's store and gives the space back to the disk.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['pegboard store vacuum', 'of the board in this folder']],
  run: ({ values, positionals, context }) =>
    useStore([...positionals, ...values.file], context, async (store) => {
      const before = (await store.status()).size;
      await store.vacuum();
      const { size, address } = await store.status();
      const view = `${address}: ${toMegabytes(before)} before, ${toMegabytes(size)} now.`;
      return { data: { address, before, size }, view };
    }),
});

function toMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
