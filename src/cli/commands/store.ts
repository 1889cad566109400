import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../shared/command.ts';
import { listReplicas } from '../../mcp/server/http/replicas/replica.ts';
import { resolve } from 'node:path';
import { UsageError } from '../shared/usage-error.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import type { StorePlace } from '../../load/data-folder.ts';
import type { CliContext } from '../shared/cli-context.ts';
import { ConfigError } from '../../load/diagnostics/diagnostic.ts';
import { findConfig } from '../shared/board/find-config.ts';
import { lookMode } from '../shared/board/trust.ts';

export const storeStatus = defineCommand({
  name: 'store status',
  description: "Shows the place, table version, size and contents of the board's store.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['pegboard store status', 'the store of this board']],
  run: ({ values, positionals, context }) =>
    useStore([...positionals, ...values.file], context, async (store) => {
      const status = await store.status();
      const replicas = await listReplicas(store);
      const { address, driver, version, size, spaces, lines, pieces } = status;
      const view = [
        ['store', `${address} (${driver === 'memory' ? 'in memory, because it cannot be written' : driver})`],
        ['tables', `version ${version}`],
        ['size', toMegabytes(size)],
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

export const storeMigrate = defineCommand({
  name: 'store migrate',
  description:
    "Creates or updates the tables of the board's store. A board does this itself on first use. Run it beforehand if the board's database user may not change tables.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['PEGBOARD_STORE=postgres://admin@db/team pegboard store migrate', 'with a user who may change tables']],
  run: ({ values, positionals, context }) =>
    useStore([...positionals, ...values.file], context, async (store) => {
      const { address, version } = await store.status();
      return { data: { address, version }, view: `${address} has tables of version ${version}.` };
    }),
});

export const storeCopy = defineCommand({
  name: 'store copy',
  description:
    'Copies everything from one store to an empty one. FROM and TO are data folders, such as .pegboard, or addresses of PostgreSQL. First stop the boards that use the store: their changes during the copy may be missing.',
  arguments: [
    { name: 'FROM', description: 'A data folder, or an address of PostgreSQL', required: true },
    { name: 'TO', description: 'An empty data folder or database', required: true },
  ],
  options: {},
  examples: [['pegboard store copy .pegboard "$TEAM_DB"', 'move a board to PostgreSQL']],
  async run({ positionals: [from, to], context }) {
    if (from === undefined || to === undefined) throw new UsageError('Name both: FROM TO.', 'store copy');
    const { copyStore } = await import('../../platform/store/copy-store.ts');
    const place = (text: string): string => (text.includes('://') ? text : resolve(context.cwd, text));
    const rows = await copyStore({ from: place(from), to: place(to), signal: context.signal });
    return {
      data: { copied: rows },
      view: `Copied ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
      notes:
        'Logins are encrypted: give the boards of the new store the same PEGBOARD_KEY, or copy store.key to their data folders.',
    };
  },
});

export const storeVacuum = defineCommand({
  name: 'store vacuum',
  description: "Deletes expired data from the board's store and returns the space to the disk.",
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION },
  examples: [['pegboard store vacuum', 'the store of this board']],
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

/** Opens the store of these files' board, runs the work and closes the store, also after an error. Creates no tools. */
async function useStore<T>(
  files: readonly string[],
  context: CliContext,
  work: (store: BoardStore, place: StorePlace) => Promise<T>,
): Promise<T> {
  const [{ loadConfig }, { admitStore, findStorePlace }, { openBoardStore }] = await Promise.all([
    import('../../load/load-config.ts'),
    import('../../load/data-folder.ts'),
    import('../../platform/store/open-board-store.ts'),
  ]);
  const { cwd, env } = context;
  const named = findConfig(files, context);
  const config = await loadConfig(named, { cwd, env, mode: lookMode(named, context) });
  // An error in a tool must not prevent access to the store.
  const faults = config.diagnostics.filter(
    ({ severity, path: [section] }) => severity === 'error' && (section === 'store' || section === 'data'),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  const place = findStorePlace(config.files, { data: undefined, env, cwd });
  admitStore(place);
  const store = openBoardStore(place);
  try {
    return await work(store, place);
  } finally {
    await store.close();
  }
}
