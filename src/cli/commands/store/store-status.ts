import { printJson, printLine } from '../../cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../../command-line/command.ts';
import { listReplicas } from '../../../mcp/server/http/replicas/replica.ts';
import { alignColumns } from '../../print/columns.ts';
import { useStore } from './use-store.ts';

/** `pegboard store status`: where the board keeps things, and how much. */
export const storeStatus = defineCommand({
  name: 'store status',
  description: "Shows where the board's store is, the version of its tables, its size, and what is in it.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['pegboard store status', 'of the board in this folder']],
  run: ({ values, positionals, json, context }) =>
    useStore([...positionals, ...values.file], context, async (store) => {
      const status = await store.status();
      const replicas = await listReplicas(store);
      if (json) {
        printJson(context, { ...status, replicas });
        return 0;
      }
      const { address, driver, version, size, spaces, lines, pieces } = status;
      const rows = [
        ['store', `${address} (${driver === 'memory' ? 'cannot be written: in memory' : driver})`],
        ['tables', `version ${version}`],
        ['size', `${(size / 1024 / 1024).toFixed(1)} MB`],
        ...Object.entries(spaces).map(([space, count]) => [space, `${count} ${count === 1 ? 'record' : 'records'}`]),
        ['journal', `${lines} ${lines === 1 ? 'line' : 'lines'}`],
        ['outputs', `${pieces} ${pieces === 1 ? 'piece' : 'pieces'}`],
        ...replicas.map(({ id, host, pid, version: program, digest }) => [
          'served by',
          `${id} on ${host}, process ${pid}, Pegboard ${program}, files ${digest}`,
        ]),
      ];
      for (const line of alignColumns(rows, context.stdout.columns)) printLine(context.stdout, line);
      return 0;
    }),
});
