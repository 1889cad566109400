import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../../command-line/command.ts';
import { listReplicas } from '../../../mcp/server/http/replicas/replica.ts';
import { useStore } from './use-store.ts';

/** `pegboard store status`: the place, size and contents of the board's store. */
export const storeStatus = defineCommand({
  name: 'store status',
  description: "Shows where the board's store is, the version of its tables, its size, and what is in it.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['pegboard store status', 'of the board in this folder']],
  run: ({ values, positionals, context }) =>
    useStore([...positionals, ...values.file], context, async (store) => {
      const status = await store.status();
      const replicas = await listReplicas(store);
      const { address, driver, version, size, spaces, lines, pieces } = status;
      const view = [
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
      return { data: { ...status, replicas }, view };
    }),
});
